import type { ChildProcess } from "node:child_process";

/** Settles when a process has ended and was reaped, or couldn't be started at all, which closes nothing. */
export function endOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once("close", resolve).once("error", resolve));
}
