import { findRepository } from "@countersign/core/host";
import { deriveEntries, type Entry, type LayeredEntry, lintEntries } from "@countersign/policy";
import type { EntryUse } from "@countersign/store";
import { type OfflinePolicies, whyUnused } from "../../policies/index.ts";
import { decidePast, pastJudge } from "./judge-past.ts";
import { history, type PastProposal } from "./past-proposals.ts";
import { isRedacted } from "./replay.ts";

/** A change that would save questions, or remove an unused entry. Never applied automatically. */
export type Suggestion =
  | {
      readonly kind: "allow";
      readonly command: string;
      /** The repository, or the directory, in which it ran. */
      readonly directory: string;
      readonly allowed: number;
      readonly sessions: number;
      /** The entries that `allow-always` would save for this directory. */
      readonly entries: readonly Entry[];
    }
  | {
      readonly kind: "remove";
      readonly id: string;
      readonly pattern: string;
      readonly why: string;
      /** Set if few commands used a broad entry: patterns to allow instead. */
      readonly instead?: readonly string[];
    };

export interface SuggestWish {
  readonly profileId: string;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** Fewer times aren't a habit. */
const LEAST_ALLOWED = 3;
/** An entry used by at most this many commands could name them. */
const FEW_COMMANDS = 3;
const OFTEN = 10;
const MAX_HABITS = 10_000;

/** Suggests changes of one profile. */
export async function suggest(offline: OfflinePolicies, wish: SuggestWish): Promise<Suggestion[]> {
  if (!offline.store) return [];
  const past = await collect(offline.store, wish, (profileId) => profileId === wish.profileId);
  return await suggestFrom(past.of(wish.profileId), offline, wish);
}

/** Suggests changes of every profile that exists or was used. Reads the history once. */
export async function suggestForAll(
  offline: OfflinePolicies,
  wish: Omit<SuggestWish, "profileId">,
): Promise<(Suggestion & { readonly profile: string })[]> {
  if (!offline.store) return [];
  const past = await collect(offline.store, wish, () => true);
  const found: (Suggestion & { readonly profile: string })[] = [];
  for (const profile of new Set([...offline.profileIds(), ...past.profileIds])) {
    const own = await suggestFrom(past.of(profile), offline, { ...wish, profileId: profile });
    found.push(...own.map((suggestion) => ({ ...suggestion, profile })));
  }
  return found;
}

async function suggestFrom(past: Past, offline: OfflinePolicies, wish: SuggestWish): Promise<Suggestion[]> {
  const used = (await offline.store?.entryUses(wish.profileId)) ?? [];
  const uses = new Map(used.map((use) => [use.entryId, use]));
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
  /** Commands by the entry that allowed them. */
  readonly usedFor: ReadonlyMap<string, ReadonlySet<string>>;
  readonly beganAtMs: number;
}

/** The history of one profile. */
class Collected {
  readonly #habits = new Map<string, Habit>();
  readonly #usedFor = new Map<string, Set<string>>();
  #beganAtMs: number;

  constructor(nowMs: number) {
    this.#beganAtMs = nowMs;
  }

  add(past: PastProposal): void {
    this.#beganAtMs = Math.min(this.#beganAtMs, past.endedAtMs);
    for (const id of past.decided?.entries ?? []) {
      this.#usedFor.set(id, (this.#usedFor.get(id) ?? new Set()).add(past.command));
    }
    if (past.decided?.by !== "person") return;
    const directory = findRepository(past.cwd, ["/"]) ?? past.cwd;
    const key = JSON.stringify([past.command, directory]);
    if (!this.#habits.has(key) && this.#habits.size >= MAX_HABITS) return;
    const known = this.#habits.get(key) ?? { sessions: new Set(), allowed: 0, denied: 0 };
    const allowed = known.allowed + Number(past.decided.verdict === "allow");
    const denied = known.denied + Number(past.decided.verdict === "deny");
    this.#habits.set(key, { last: past, directory, sessions: known.sessions.add(past.sessionId), allowed, denied });
  }

  get past(): Past {
    return { habits: [...this.#habits.values()], usedFor: this.#usedFor, beganAtMs: this.#beganAtMs };
  }
}

async function collect(
  store: Parameters<typeof history>[0],
  { sinceMs, nowMs }: Omit<SuggestWish, "profileId">,
  isWanted: (profileId: string) => boolean,
): Promise<{ readonly profileIds: readonly string[]; of(profileId: string): Past }> {
  const collected = new Map<string, Collected>();
  for await (const past of history(store, sinceMs)) {
    if (!isWanted(past.profileId) || isRedacted(past)) continue;
    const own = collected.get(past.profileId) ?? new Collected(nowMs);
    collected.set(past.profileId, own);
    own.add(past);
  }
  return {
    profileIds: [...collected.keys()],
    of: (profileId) => (collected.get(profileId) ?? new Collected(nowMs)).past,
  };
}

/**
 * Suggests allowing what a person always allowed, is still asked about, and can be saved under a ceiling. Nothing
 * dangerous.
 */
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
    const saved = entries.map((entry): Entry => ({ ...entry, directory }));
    found.push({
      ...{ kind: "allow", command: last.command, directory, allowed, sessions: sessions.size },
      entries: saved,
    });
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
    const why =
      warned.get(id) ??
      (allows ? whyUnused(entry, uses.get(id), { sinceMs: past.beganAtMs, nowMs: wish.nowMs }) : undefined);
    const remove = { kind: "remove", id, pattern } as const;
    if (why !== undefined) return [{ ...remove, why }];
    const commands = [...(past.usedFor.get(id) ?? [])];
    const broad = entry.ceiling === undefined && entry.command === undefined && pattern.endsWith(" **");
    const few = commands.length > 0 && commands.length <= FEW_COMMANDS && (uses.get(id)?.hits ?? 0) >= OFTEN;
    if (!broad || !allows || !few) return [];
    return [{ ...remove, why: "It has no ceiling, and few commands used it", instead: commands }];
  });
}
