import { readDuration } from "../base/index.ts";

/** `--since` as a time. It was checked when the command line was read. */
export function sinceMs(text: string): number {
  return readDuration(text, { nowMs: Date.now(), sign: -1 }) ?? 0;
}
