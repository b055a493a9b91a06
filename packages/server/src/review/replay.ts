import type { Profile, Verdict } from "@countersign/policy";
import { REDACTION_MARK } from "@countersign/sdk";
import type { OfflinePolicies } from "../profiles/offline-policies.ts";
import { Policies } from "../profiles/policies.ts";
import { history, type PastProposal } from "./history.ts";
import { decidePast, pastJudge } from "./judge-past.ts";

/** A command that another policy would decide otherwise. */
interface ReplayedChange {
  readonly command: string;
  readonly cwd: string;
  /** How often it was proposed. */
  readonly count: number;
  readonly from: Verdict;
  readonly to: Verdict;
  /** Why, under the other policy. */
  readonly reason: string;
}

export interface Replay {
  /** What was looked at, and what couldn't be because a secret was taken out of it. */
  readonly proposals: number;
  readonly redacted: number;
  /** How many of them change, by `allow → ask` and so on. */
  readonly counts: Readonly<Record<string, number>>;
  readonly changes: readonly ReplayedChange[];
}

export interface ReplayWish {
  readonly profileId: string;
  /** Instead of the one in force. */
  readonly profile: Profile;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/**
 * What another profile would have made of the commands of the past, beside what the one in force makes of them today: the
 * machine and the engine are the same for both, so that only the profile tells.
 */
export async function replay(offline: OfflinePolicies, wish: ReplayWish): Promise<Replay> {
  const { store, home, policies } = offline;
  const other = policiesWith(offline, wish);
  const judge = pastJudge({ home, config: offline.config }, wish.nowMs);
  const seen = new Map<string, { change: Omit<ReplayedChange, "count"> | undefined; count: number }>();
  let proposals = 0;
  let redacted = 0;
  for await (const past of store ? history(store, wish.sinceMs) : []) {
    if (past.profileId !== wish.profileId) continue;
    if (isRedacted(past)) {
      redacted += 1;
      continue;
    }
    proposals += 1;
    const key = keyOf(past);
    const known = seen.get(key);
    if (known) known.count += 1;
    else seen.set(key, { change: await compare(past), count: 1 });
  }
  const changes = [...seen.values()].flatMap(({ change, count }) => (change ? [{ ...change, count }] : []));
  return { proposals, redacted, counts: countBy(changes), changes: changes.sort((a, b) => b.count - a.count) };

  async function compare(past: PastProposal): Promise<Omit<ReplayedChange, "count"> | undefined> {
    const judged = await judge(past);
    const [now, then] = [await decidePast(past, judged, policies), await decidePast(past, judged, other)];
    if (now.verdict === then.verdict) return undefined;
    return { command: past.command, cwd: past.cwd, from: now.verdict, to: then.verdict, reason: then.reason };
  }
}

export function isRedacted({ command, cwd, env }: PastProposal): boolean {
  return [command, cwd, ...Object.values(env)].some((text) => text.includes(REDACTION_MARK));
}

function policiesWith(offline: OfflinePolicies, { profileId, profile }: ReplayWish): Policies {
  const current = async (id: string) =>
    id === profileId ? ({ ok: true, profile } as const) : await offline.profile(id);
  const { store, home, organisation } = offline;
  return new Policies({ profiles: { current }, store, home, organisation });
}

function keyOf({ command, cwd, env, roots, attended, enforcement }: PastProposal): string {
  return JSON.stringify([command, cwd, env, roots, attended, enforcement]);
}

function countBy(changes: readonly ReplayedChange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { from, to, count } of changes) counts[`${from} → ${to}`] = (counts[`${from} → ${to}`] ?? 0) + count;
  return counts;
}
