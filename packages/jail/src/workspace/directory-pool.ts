import { chownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "@countersign/core/host/fs";
import { nodePath, renameNew } from "@countersign/native";

/** Enough for several runs at once in a workspace of several repositories. */
const MOST = 512;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Ready extends Owner {
  /** Where it stands ready. */
  readonly place: string;
  readonly inode: number;
}

/**
 * Empty directories that stand ready. To make one and remove it again costs a file system many times what it costs to give
 * it another name. Where names can't be given across (another file system), whoever asks makes one in place.
 */
export class DirectoryPool {
  readonly #directory: string;
  readonly #free: Ready[] = [];
  /** By where they stand. */
  readonly #out = new Map<string, Ready>();
  #made = 0;

  /** `directory` is ours alone. What someone put into one of them before it was taken back stays there. */
  constructor(directory: string) {
    this.#directory = directory;
    for (const name of namesIn(directory)) removeIfEmpty(join(directory, name));
  }

  /** Puts one where nothing is; the name of the error, where it couldn't. */
  put(path: string, owner: Owner): string | undefined {
    const ready = this.#free.pop() ?? this.#make();
    if ("error" in ready) return ready.error;
    if (ready.uid !== owner.uid || ready.gid !== owner.gid) {
      // Only root can, and it must: what stays at that name should be the workspace's owner's.
      if (process.geteuid?.() !== 0) return this.#keep(ready, "EPERM");
      chownSync(ready.place, owner.uid, owner.gid);
    }
    const error = renameNew(ready.place, path);
    if (error !== undefined) return this.#keep(ready, error);
    this.#out.set(path, { ...ready, uid: owner.uid, gid: owner.gid });
    return undefined;
  }

  /** False where something else stands there by now, or something was put into it: it is left as it is. */
  takeBack(path: string): boolean {
    const known = this.#out.get(path);
    this.#out.delete(path);
    if (known === undefined || this.#free.length >= MOST || !isMarked(path, known.inode)) return false;
    if (renameNew(path, known.place) !== undefined) return false;
    if (isMarked(known.place, known.inode)) {
      this.#free.push(known);
      return true;
    }
    // Back to where it was. When that name is taken again it stays with us, and whole.
    renameNew(known.place, path);
    return true;
  }

  /** Removes what stands ready; what is out is its holders' to remove. */
  close(): void {
    for (const { place } of this.#free.splice(0)) removeIfEmpty(place);
    removeIfEmpty(this.#directory);
  }

  #keep(ready: Ready, error: string): string {
    this.#free.push(ready);
    return error;
  }

  #make(): Ready | { readonly error: string } {
    this.#made += 1;
    const place = join(this.#directory, `${process.pid}-${this.#made}`);
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      mkdirSync(place, { mode: 0o755 });
      mark(place);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === undefined) throw cause;
      // Not that of where it was to be put.
      return { error: code === "EEXIST" ? "EAGAIN" : code };
    }
    const { ino, uid, gid } = lstatSync(place);
    return { place, inode: ino, uid, gid };
  }
}

/** Gives a directory the time by which we know it again. */
export function mark(path: string | Buffer): void {
  utimesSync(path, 0, 0);
}

/** One of ours, into which nothing was ever put: that would have given it another time. */
export function isMarked(path: string, inode?: number): boolean {
  const stat = lstatSync(nodePath(path), { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.mtimeMs === 0 && (inode === undefined || stat.ino === inode);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    if (isAbsence(cause)) return [];
    throw cause;
  }
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "ENOTDIR", "ENOENT"].includes(code)) throw cause;
  }
}
