import { closeSync } from "node:fs";

/** All of them, or none is left open. */
export function openAll(openers: readonly (() => number)[]): number[] {
  const opened: number[] = [];
  try {
    for (const open of openers) opened.push(open());
    return opened;
  } catch (cause) {
    for (const fd of opened) closeSync(fd);
    throw cause;
  }
}
