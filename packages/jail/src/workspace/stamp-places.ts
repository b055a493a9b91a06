import { setImmediate } from "node:timers/promises";
import { kindAt, readDirectory } from "@countersign/core/host/fs";
import type { Places } from "../sensitive/index.ts";
import type { Stamp, Stamper } from "./entry-stamp.ts";
import { targetWithin } from "./pin-places.ts";

/** Entries of directories that start code; those behind them aren't stamped, and their directory is marked `partial`. */
const MOST_ENTRIES = 4_000;
const MOST_HASHED_BYTES = 64 * 1024 * 1024;
/** The hub answers others at least this often. */
const SLICE_MS = 8;

export interface StampFacts {
  /** A link may lead to something in it, which a jail pins as well. */
  readonly root: string;
  readonly stamper: Stamper;
  /**
   * The second look stamps more entries than the first, so that a directory that was complete then and isn't now got thousands
   * of new ones.
   */
  readonly look: "before" | "after";
  readonly most?: number;
}

/** Stamps everything in a workspace that starts code, with all that is in it. */
export async function stampPlaces(
  places: Pick<Places, "startsCode" | "gitDirectories" | "bareRepositories">,
  { root, stamper, look, most = MOST_ENTRIES }: StampFacts,
): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  const budget = { bytes: MOST_HASHED_BYTES };
  let left = look === "before" ? most : 2 * most;
  const todo: string[] = [];
  let sliceBegan = performance.now();
  const add = (path: string, top: boolean, deep: boolean) => {
    if (stamps.has(path)) return;
    const stamp = stamper.stamp(path, budget);
    if (stamp === undefined) return;
    stamps.set(path, top ? { ...stamp, top } : stamp);
    if (deep && stamp.kind === "directory") todo.push(path);
  };
  // Of a directory of git's own, what git runs from there is among the places by itself.
  for (const path of [...places.gitDirectories, ...places.bareRepositories]) add(path, true, false);
  for (const path of places.startsCode) {
    add(path, true, true);
    const target = stamps.get(path)?.kind === "link" ? targetWithin(path, root) : undefined;
    if (target !== undefined) add(target, true, true);
  }
  for (const directory of todo) {
    const reading = readDirectory(directory, { size: Number.POSITIVE_INFINITY, most: left });
    const partial = "failed" in reading || reading.more;
    if (partial) stamps.set(directory, { ...(stamps.get(directory) as Stamp), partial });
    for (const { name } of "failed" in reading ? [] : reading.entries) add(`${directory}/${name}`, false, true);
    left -= "failed" in reading ? 0 : reading.entries.length;
    if (performance.now() - sliceBegan < SLICE_MS) continue;
    await setImmediate();
    sliceBegan = performance.now();
  }
  return stamps;
}

/** Whether nothing is in a directory; false where it is none. */
export function isEmptyDirectory(path: string): boolean {
  if (kindAt(path) !== "directory") return false;
  const reading = readDirectory(path, { size: Number.POSITIVE_INFINITY, most: 0 });
  return !("failed" in reading) && !reading.more;
}
