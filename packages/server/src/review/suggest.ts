import { deriveEntries, type LayeredEntry, lintEntries } from "@countersign/policy";
import { findRepository } from "../machine/repository.ts";
import type { OfflinePolicies } from "../profiles/offline-policies.ts";
import type { EntryUse } from "../store/records.ts";
import { history, type PastProposal } from "./history.ts";
import { decidePast, pastJudge } from "./judge-past.ts";
import { isRedacted } from "./replay.ts";

/** A change that would spare questions, or one that takes away what nobody needs. Never applied by itself. */
export type Suggestion =
  | {
      readonly kind: "allow";
      readonly command: string;
      /** The repository, or the directory, that it ran in. */
      readonly directory: string;
      readonly allowed: number;
      readonly sessions: number;
    }
  | {
      readonly kind: "remove";
      readonly id: string;
      readonly pattern: string;
      readonly why: string;
      /** Where few commands used a broad entry: what could be allowed instead. */
      readonly instead?: readonly string[];
    };

export interface SuggestWish {
  readonly profileId: string;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** Less often isn't a habit. */
const LEAST_ALLOWED = 3;
/** An entry that so few commands use, so often, could name them. */
const FEW_COMMANDS = 3;
const OFTEN = 10;
const UNUSED_MS = 90 * 86_400_000;
const MAX_HABITS = 10_000;

/** What the past suggests about a profile. */
export async function suggest(offline: OfflinePolicies, wish: SuggestWish): Promise<Suggestion[]> {
  const { store } = offline;
  if (!store) return [];
  const past = await collect(offline, wish);
  const uses = new Map((await store.entryUses(wish.profileId)).map((use) => [use.entryId, use]));
  return [...(await suggestAllowing(past, offline, wish)), ...(await suggestRemoving(past, { offline, uses, wish }))];
}

interface Habit {
  readonly last: PastProposal;
  readonly directory: string;
  readonly sessions: Set<string>;
  allowed: number;
  denied: number;
}

interface Past {
  readonly habits: readonly Habit[];
  /** By entry: the commands that it was used for. */
  readonly usedFor: ReadonlyMap<string, ReadonlySet<string>>;
  readonly beganAtMs: number;
}

async function collect({ store }: OfflinePolicies, { profileId, sinceMs, nowMs }: SuggestWish): Promise<Past> {
  const habits = new Map<string, Habit>();
  const usedFor = new Map<string, Set<string>>();
  let beganAtMs = nowMs;
  for await (const past of store ? history(store, sinceMs) : []) {
    if (past.profileId !== profileId || isRedacted(past)) continue;
    beganAtMs = Math.min(beganAtMs, past.endedAtMs);
    for (const id of past.decided?.entries ?? []) usedFor.set(id, (usedFor.get(id) ?? new Set()).add(past.command));
    if (past.decided?.by !== "person") continue;
    const directory = findRepository(past.cwd, ["/"]) ?? past.cwd;
    const key = JSON.stringify([past.command, directory]);
    const known = habits.get(key) ?? { sessions: new Set(), allowed: 0, denied: 0 };
    if (!habits.has(key) && habits.size >= MAX_HABITS) continue;
    const allowed = known.allowed + Number(past.decided.verdict === "allow");
    const denied = known.denied + Number(past.decided.verdict === "deny");
    habits.set(key, { last: past, directory, sessions: known.sessions.add(past.sessionId), allowed, denied });
  }
  return { habits: [...habits.values()], usedFor, beganAtMs };
}

/** What a person always allowed, is still asked about, and could be saved with a ceiling. Nothing dangerous. */
async function suggestAllowing(
  { habits }: Past,
  offline: OfflinePolicies,
  { nowMs }: SuggestWish,
): Promise<Suggestion[]> {
  const judge = pastJudge(offline, nowMs);
  const found: (Suggestion & { kind: "allow" })[] = [];
  for (const { last, directory, sessions, allowed, denied } of habits) {
    if (allowed < LEAST_ALLOWED || denied > 0) continue;
    const judged = await judge(last);
    const { enforcement } = judged.circumstances;
    const { verdict, riskLevel } = await decidePast(last, judged, offline.policies);
    const { entries, note } = deriveEntries(judged.classification, { roots: last.roots, enforcement });
    if (verdict !== "ask" || riskLevel === "dangerous" || entries.length === 0 || note !== undefined) continue;
    found.push({ kind: "allow", command: last.command, directory, allowed, sessions: sessions.size });
  }
  return found.sort((a, b) => b.allowed - a.allowed);
}

interface Removing {
  readonly offline: OfflinePolicies;
  readonly uses: ReadonlyMap<string, EntryUse>;
  readonly wish: SuggestWish;
}

async function suggestRemoving(past: Past, { offline, uses, wish }: Removing): Promise<Suggestion[]> {
  const policy = await offline.policies.of({ profileId: wish.profileId, cwd: "/" });
  if (!policy.ok) return [];
  const own = (list: readonly LayeredEntry[]) => list.filter(({ layer }) => layer === "user");
  const lists = { allowlist: own(policy.profile.allowlist), denylist: own(policy.profile.denylist) };
  const warned = new Map(
    lintEntries(lists, wish.nowMs).map(({ list, index, warning }) => [lists[list][index]?.id, warning] as const),
  );
  return [...lists.allowlist, ...lists.denylist].flatMap((entry): Suggestion[] => {
    const { id = "", pattern } = entry;
    const allows = lists.allowlist.includes(entry);
    const why = warned.get(id) ?? (allows ? whyUnused(entry, uses.get(id), { past, nowMs: wish.nowMs }) : undefined);
    const remove = { kind: "remove", id, pattern } as const;
    if (why !== undefined) return [{ ...remove, why }];
    const commands = [...(past.usedFor.get(id) ?? [])];
    const broad = entry.ceiling === undefined && entry.command === undefined && pattern.endsWith(" **");
    const few = commands.length > 0 && commands.length <= FEW_COMMANDS && (uses.get(id)?.hits ?? 0) >= OFTEN;
    if (!broad || !allows || !few) return [];
    return [{ ...remove, why: "It has no ceiling, and few commands used it", instead: commands }];
  });
}

/** Only what allows is asked for its use: that nobody tries is what denials are for. */
function whyUnused(
  entry: LayeredEntry,
  use: EntryUse | undefined,
  { past, nowMs }: { readonly past: Past; readonly nowMs: number },
): string | undefined {
  const since = use?.lastUsedAtMs ?? entry.atMs ?? past.beganAtMs;
  if (nowMs - since < UNUSED_MS) return undefined;
  const days = Math.floor((nowMs - since) / 86_400_000);
  return `Not used for ${days} days`;
}
