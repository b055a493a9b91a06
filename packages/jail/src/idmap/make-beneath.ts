import { closeSync, mkdirSync } from "node:fs";
import { openBeneath, SystemError } from "@countersign/native";

/**
 * Opens a directory below one that is open, and makes what is missing on the way: each part by itself, in the one that was opened before, so that
 * whoever works there at the same time can't lead it elsewhere with a link.
 */
export function makeBeneath(directory: number, path: string): number {
  let [at, passed]: [number, number | undefined] = [directory, undefined];
  try {
    for (const name of path.split("/")) {
      const next = openOrMake(at, name);
      if (passed !== undefined) closeSync(passed);
      [at, passed] = [next, next];
    }
    return at;
  } catch (cause) {
    if (passed !== undefined) closeSync(passed);
    throw cause;
  }
}

function openOrMake(directory: number, name: string): number {
  try {
    return openBeneath(directory, name);
  } catch (cause) {
    if (!(cause instanceof SystemError) || cause.code !== "ENOENT") throw cause;
  }
  makeUnlessThere(`/proc/self/fd/${directory}/${name}`);
  return openBeneath(directory, name);
}

function makeUnlessThere(path: string): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (cause) {
    // Somebody else was quicker; what it is shows when it is opened.
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}
