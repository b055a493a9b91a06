import { type Entry, isInside, readDirectory } from "@countersign/core/host/fs";
import type { PlaceStep } from "../plan/index.ts";

/** Above this the directory stays closed as a whole: each entry costs a mount. */
const MOST_ENTRIES = 200;

export interface Opening {
  readonly steps: readonly PlaceStep[];
  /** Directories that were opened for some of their entries only. */
  readonly opened: readonly string[];
  /** Links, over which nothing can be mounted. */
  readonly loose: readonly string[];
}

/**
 * A directory that starts code, closed but for what an approved effect writes inside it: new names can be made there, and
 * everything else that exists is read-only.
 */
export function openExcept(directory: string, writes: readonly string[]): Opening {
  const reading = readDirectory(directory, { size: 0, most: MOST_ENTRIES });
  if ("failed" in reading || reading.more)
    return { steps: [{ do: "read-only", path: directory }], opened: [], loose: [] };
  const inner = reading.entries.map((entry) => openEntryExcept(`${directory}/${entry.name}`, entry, writes));
  return {
    steps: [{ do: "pin", path: directory }, ...inner.flatMap(({ steps }) => steps)],
    opened: [directory, ...inner.flatMap(({ opened }) => opened)],
    loose: inner.flatMap(({ loose }) => loose),
  };
}

function openEntryExcept(path: string, { kind }: Entry, writes: readonly string[]): Opening {
  if (writes.includes(path)) return { steps: [], opened: [], loose: [] };
  if (kind === "link") return { steps: [], opened: [], loose: [path] };
  if (kind === "directory" && writes.some((write) => isInside(write, path))) return openExcept(path, writes);
  return { steps: [{ do: "read-only", path }], opened: [], loose: [] };
}
