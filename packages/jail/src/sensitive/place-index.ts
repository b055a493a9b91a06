import type { Stats } from "node:fs";
import type { FoundPlace, Surroundings } from "./look-at-directory.ts";

/** A directory of a workspace, and what was found when it was last read. */
export interface Folder extends Omit<Surroundings, "home"> {
  readonly depth: number;
  look: Look | undefined;
}

interface Look {
  /** Undefined: to be read again whatever the directory's stamp. */
  readonly stamp: FolderStamp | undefined;
  readonly places: readonly FoundPlace[];
  readonly folders: readonly Folder[];
}

/** What was found in workspaces, so that the next walk reads only the directories that changed. Holds the last few roots. */
export class PlaceIndex {
  readonly #roots = new Map<string, Folder>();
  readonly #most: number;

  constructor(most = 8) {
    this.#most = most;
  }

  rootFolder(root: string, { home, isGit = false }: { home: string; isGit?: boolean | undefined }): Folder {
    const key = JSON.stringify([root, home, isGit]);
    const folder = this.#roots.get(key) ?? {
      path: root,
      kind: isGit ? "git" : "ordinary",
      startsCode: false,
      depth: 0,
      look: undefined,
    };
    this.#roots.delete(key);
    this.#roots.set(key, folder);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= this.#most) break;
      this.#roots.delete(oldest);
    }
    return folder;
  }
}

/** Entries come and go only with a new mtime; ctime can't be set back by an owner. */
export type FolderStamp = Pick<Stats, "dev" | "ino" | "mtimeMs" | "ctimeMs">;

/**
 * The clock of file systems may go in steps as long as 2 s. A directory that changed so shortly before it was read may
 * change again without its stamp telling.
 */
const STEP_MS = 2_000;

/** The stamp to know a directory by that was read just now; undefined when it can't be relied on. */
export function stampOfFolder({ dev, ino, mtimeMs, ctimeMs }: Stats, readAtMs: number): FolderStamp | undefined {
  if (Math.max(mtimeMs, ctimeMs) >= readAtMs - STEP_MS) return undefined;
  return { dev, ino, mtimeMs, ctimeMs };
}

export function isSameFolder(known: FolderStamp | undefined, stat: Stats): boolean {
  return (
    known?.ino === stat.ino &&
    known.mtimeMs === stat.mtimeMs &&
    known.ctimeMs === stat.ctimeMs &&
    known.dev === stat.dev
  );
}
