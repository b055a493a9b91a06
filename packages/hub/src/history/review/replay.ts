import { setImmediate } from "node:timers/promises";
import type { Profile } from "@countersign/policy";
import type { PolicyReplay, ReplayedChange } from "@countersign/protocol/policy";
import { REDACTION_MARK } from "@countersign/protocol/text";
import type { Store } from "@countersign/store";
import { type OfflinePolicies, Policies } from "../../policies/index.ts";
import { decidePast, pastJudge } from "./judge-past.ts";
import { newestFirst, type PastCommand } from "./past-proposals.ts";

export type Replay = Omit<PolicyReplay, "widening" | "warnings">;

export interface ReplayWish {
  readonly profileId: string;
  /** Replaces the profile in force. */
  readonly profile: Profile;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Whether commands that the hub ran would be jailed. */
  readonly inJail?: boolean;
  /** Limits after which it returns what it has. */
  readonly maxProposals?: number;
  readonly maxMs?: number;
  /** Aborted when nobody waits for the result. */
  readonly gone?: AbortSignal | undefined;
}

/** The policies and store of a data directory, with or without a running hub. */
export interface ReplaySource
  extends Pick<OfflinePolicies, "home" | "config" | "policies" | "organisation" | "profile"> {
  readonly store: Pick<Store, "newestEnded" | "setting"> | undefined;
}

/**
 * Compares another profile's decisions about past commands with those of the profile in force. Both use today's machine
 * and engine, so that any difference comes from the profile.
 */
export async function replay(source: ReplaySource, wish: ReplayWish): Promise<Replay> {
  const { store, home, policies } = source;
  const { maxProposals = Number.POSITIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY } = wish;
  const other = policiesWith(source, wish);
  const judge = pastJudge({ home, config: source.config }, wish.nowMs);
  const seen = new Map<string, { change: Omit<ReplayedChange, "count"> | undefined; count: number }>();
  const yielder = new Yielder();
  const endMs = performance.now() + maxMs;
  let proposals = 0;
  let redacted = 0;
  let fromMs: number | null = null;
  let complete = true;
  for await (const past of store ? newestFirst(store, wish.sinceMs, wish.inJail) : []) {
    await yielder.yield();
    wish.gone?.throwIfAborted();
    if (proposals >= maxProposals || performance.now() > endMs) {
      complete = false;
      break;
    }
    if (past.profileId !== wish.profileId) continue;
    fromMs = past.endedAtMs;
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
  changes.sort((a, b) => b.count - a.count);
  return { proposals, redacted, counts: countBy(changes), changes, fromMs, complete };

  async function compare(past: PastCommand): Promise<Omit<ReplayedChange, "count"> | undefined> {
    const judged = await judge(past);
    const [now, then] = [await decidePast(past, judged, policies), await decidePast(past, judged, other)];
    if (now.verdict === then.verdict) return undefined;
    return { command: past.command, cwd: past.cwd, from: now.verdict, to: then.verdict, reason: then.reason };
  }
}

export function isRedacted({ command, cwd, env }: PastCommand): boolean {
  return [command, cwd, ...Object.values(env)].some((text) => text.includes(REDACTION_MARK));
}

function policiesWith(source: ReplaySource, { profileId, profile }: ReplayWish): Policies {
  const current = async (id: string) =>
    id === profileId ? ({ ok: true, profile } as const) : await source.profile(id);
  const { store, home, organisation } = source;
  return new Policies({ profiles: { current }, store, home, organisation });
}

function keyOf({ command, cwd, env, roots, attended, enforcement }: PastCommand): string {
  return JSON.stringify([command, cwd, env, roots, attended, enforcement]);
}

function countBy(changes: readonly ReplayedChange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { from, to, count } of changes) counts[`${from} → ${to}`] = (counts[`${from} → ${to}`] ?? 0) + count;
  return counts;
}

/** How long other work may have to wait. */
const TURN_MS = 8;

/** Lets other work run during a long task: call `yield` as often as possible. */
class Yielder {
  #sinceMs = performance.now();

  async yield(): Promise<void> {
    if (performance.now() - this.#sinceMs < TURN_MS) return;
    await setImmediate();
    this.#sinceMs = performance.now();
  }
}
