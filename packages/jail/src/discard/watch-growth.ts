import type { Clock, Timer } from "@countersign/core/base";
import type { Withdrawal } from "../process/index.ts";

const LOOK_EVERY_MS = 200;

/** Ends a preview that takes more of the disk than it may. Returns how to stop looking. */
export function watchGrowth(
  preview: { outgrown(): Promise<string | undefined> },
  { clock, withdrawal }: { readonly clock: Clock; readonly withdrawal: Withdrawal },
): () => void {
  let stopped = false;
  let timer: Timer;
  const look = async () => {
    const why = await preview.outgrown();
    if (stopped) return;
    if (why === undefined) timer = clock.after(LOOK_EVERY_MS, () => void look());
    else withdrawal.withdraw(why);
  };
  timer = clock.after(LOOK_EVERY_MS, () => void look());
  return () => {
    stopped = true;
    timer.cancel();
  };
}
