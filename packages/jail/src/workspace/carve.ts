import { type Entry, isInside, readDirectory } from "@countersign/core/host/fs";
import type { PlaceStep } from "../plan/index.ts";

/** Above this the directory stays closed as a whole: each entry costs a mount. */
const MOST_ENTRIES = 200;

export interface Carving {
  readonly steps: readonly PlaceStep[];
  /** Directories that were opened for some of their entries only. */
  readonly carved: readonly string[];
  /** Links, over which nothing can be mounted. */
  readonly loose: readonly string[];
}

/**
 * A directory that starts code, closed but for what an approved effect writes inside it: new names can be made there, and
 * everything else that exists is read-only.
 */
export function carve(directory: string, writes: readonly string[]): Carving {
  const reading = readDirectory(directory, { size: 0, most: MOST_ENTRIES });
  if ("failed" in reading || reading.more)
    return { steps: [{ do: "read-only", path: directory }], carved: [], loose: [] };
  const inner = reading.entries.map((entry) => carveEntry(`${directory}/${entry.name}`, entry, writes));
  return {
    steps: [{ do: "pin", path: directory }, ...inner.flatMap(({ steps }) => steps)],
    carved: [directory, ...inner.flatMap(({ carved }) => carved)],
    loose: inner.flatMap(({ loose }) => loose),
  };
}

function carveEntry(path: string, { kind }: Entry, writes: readonly string[]): Carving {
  if (writes.includes(path)) return { steps: [], carved: [], loose: [] };
  if (kind === "link") return { steps: [], carved: [], loose: [path] };
  if (kind === "directory" && writes.some((write) => isInside(write, path))) return carve(path, writes);
  return { steps: [{ do: "read-only", path }], carved: [], loose: [] };
}
