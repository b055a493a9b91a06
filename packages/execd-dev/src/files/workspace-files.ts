import { ExecdError } from "../http/index.ts";
import { goErrno, OutsideError, type Place, type Surroundings, type Tree, type Wish } from "../places/index.ts";

type Held = Pick<Place, "shown" | "path" | "isRoot" | "owner">;

/** The files that may be asked for. */
export class WorkspaceFiles {
  readonly #around: Surroundings;
  readonly #tree: Tree;

  constructor(around: Surroundings, tree: Tree) {
    this.#around = around;
    this.#tree = tree;
  }

  get openFlags(): number {
    return this.#tree.openFlags;
  }

  /** Throws in words where it can't be told which file is meant. */
  path(asked: string): string {
    return this.#around.path(asked);
  }

  /** What was asked for, held while something is done with it. */
  async use<T>(asked: string, wish: Wish, work: (place: Held) => Promise<T>): Promise<T> {
    const path = this.path(asked);
    return await holding(path, () => this.#tree.find(path, wish), work);
  }

  /** Of a directory: its own path, below which its entries are. */
  async inside<T>(place: Held, work: (directory: Held) => Promise<T>): Promise<T> {
    return await holding(place.shown, () => this.#tree.enter(place), work);
  }

  async pinned<T>(place: Held, work: (pinned: Held) => Promise<T>): Promise<T> {
    return await holding(place.shown, () => this.#tree.pin(place), work);
  }
}

async function holding<T>(shown: string, hold: () => Place, work: (place: Held) => Promise<T>): Promise<T> {
  try {
    const place = hold();
    try {
      return await work(place);
    } finally {
      place.close();
    }
  } catch (cause) {
    throw named(cause, shown);
  }
}

/** By the name that was asked for, and not by how we came there. */
function named(cause: unknown, shown: string): unknown {
  if (cause instanceof OutsideError) return new ExecdError(403, "OUTSIDE_WORKSPACE", cause.message, { cause });
  const { path } = cause as NodeJS.ErrnoException;
  if (typeof path === "string" && path.startsWith("/proc/self/fd/")) Object.assign(cause as Error, { path: shown });
  return cause;
}

/** As execd answers what a file system says. */
export function fileError(cause: unknown): ExecdError {
  if (cause instanceof ExecdError) return cause;
  const words = goErrno(cause);
  if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
    return new ExecdError(404, "FILE_NOT_FOUND", `file not found. ${words}`, { cause });
  }
  return full(cause, words) ?? new ExecdError(500, "RUNTIME_ERROR", `error accessing file: ${words}`, { cause });
}

/** The same in other words; what is ours to say stays as it is. */
export function saidAs(said: string, cause: unknown): ExecdError {
  if (cause instanceof ExecdError) return cause;
  const words = `${said} ${goErrno(cause)}`;
  return full(cause, words) ?? new ExecdError(500, "RUNTIME_ERROR", words, { cause });
}

/** A disk, or what an overlay may take up. */
function full(cause: unknown, words: string): ExecdError | undefined {
  const isFull = (cause as NodeJS.ErrnoException).code === "ENOSPC";
  return isFull ? new ExecdError(507, "NO_SPACE", words, { cause }) : undefined;
}
