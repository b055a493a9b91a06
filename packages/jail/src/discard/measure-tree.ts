import { lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isAbsence, type OpenDirectory, openInside, readDirectory } from "@countersign/core/host/fs";

export interface Measured {
  /** On the disk. */
  bytes: number;
  entries: number;
  /** Nothing was too deep, too much or closed to us. */
  complete: boolean;
}

const MOST_DEPTH = 128;
/** So that others get their turn. */
const ENTRIES_AT_ONCE = 500;

/** What a tree takes, while it may be changed; no link is followed. Stops where it is more than `most` entries. */
export async function measureTree(path: string, most: number): Promise<Measured> {
  const measured = { bytes: 0, entries: 0, complete: true };
  using directory = openInside(path);
  if (directory) await measureInside(directory, measured, { most, depth: 0 });
  return measured;
}

async function measureInside(
  directory: OpenDirectory,
  measured: Measured,
  { most, depth }: { readonly most: number; readonly depth: number },
): Promise<void> {
  const room = { size: Number.POSITIVE_INFINITY, most: most - measured.entries };
  const reading = depth > MOST_DEPTH ? { failed: "ELOOP" } : readDirectory(directory.path, room);
  if ("failed" in reading || reading.more) measured.complete = false;
  if ("failed" in reading) return;
  for (const { name } of reading.entries) {
    measured.entries += 1;
    if (measured.entries % ENTRIES_AT_ONCE === 0) await setImmediate();
    const stat = statOf(directory.at(name));
    measured.bytes += (stat?.blocks ?? 0) * 512;
    if (!stat?.isDirectory()) continue;
    using inside = openInside(directory.at(name));
    if (inside) await measureInside(inside, measured, { most, depth: depth + 1 });
    else measured.complete = false;
  }
}

/** Undefined when it is gone. */
function statOf(at: string | Buffer) {
  try {
    return lstatSync(at);
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}
