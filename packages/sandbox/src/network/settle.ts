import type { TrackedFlow } from "./conntrack/index.ts";
import type { ObservedSandbox } from "./observed-sandbox.ts";

/** What the kernel has counted, by the counter's name. */
export type Counters = ReadonlyMap<string, number>;

export interface Balance {
  readonly open: readonly TrackedFlow[];
  /** Flows that are over, and of which nobody heard. Below 0: some began while it was counted. */
  readonly missing: number;
}

/**
 * Flows that the kernel counted are those that were told or dropped, those that go on, and those that are missing. `counters` are from before now, and
 * what is heard of now is heard last: what happens in between makes too few missing, never too many.
 */
export async function balanceOf(sandbox: ObservedSandbox, counters: Counters, catchUp: () => void): Promise<Balance> {
  const open = await sandbox.openFlows();
  catchUp();
  return { open, missing: sandbox.state.offset + countedFor(sandbox, counters) - sandbox.delivery.ended - open.length };
}

/** Where a count was lost: from now on, as if nothing were missing. */
export async function offsetFor(sandbox: ObservedSandbox, counters: Counters, catchUp: () => void): Promise<number> {
  const { missing } = await balanceOf(sandbox, counters, catchUp);
  return sandbox.state.offset - missing;
}

function countedFor({ numbers }: ObservedSandbox, counters: Counters): number {
  return numbers.reduce((sum, number) => sum + (counters.get(`flows_${number}`) ?? 0), 0);
}
