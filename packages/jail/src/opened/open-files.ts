import { closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { openEntryBeneath, openWithoutLinks, SystemError } from "@countersign/native";
import { identityOf, JailError } from "../base/index.ts";
import { findFile } from "./find-file.ts";
import type { Openings } from "./plan-openings.ts";

interface MadeFile {
  readonly parent: number;
  readonly name: string;
  readonly inode: string;
}

/** Files outside of the workspace that a run may write to. */
export class OpenedFiles {
  readonly paths: readonly string[];
  readonly #inodes: ReadonlyMap<string, string>;
  readonly #made: readonly MadeFile[];
  #hasStarted = false;

  constructor(inodes: ReadonlyMap<string, string>, made: readonly MadeFile[]) {
    this.paths = [...inodes.keys()];
    this.#inodes = inodes;
    this.#made = made;
  }

  /** Whether a jail that waits before its command shows these very files: bwrap binds by name, and a name can be replaced meanwhile. */
  areIn(pid: number): boolean {
    if (this.paths.length === 0) return true;
    let root: number;
    try {
      root = openSync(`/proc/${pid}/root`, constants.O_DIRECTORY);
    } catch {
      // It has ended, or can't be looked into: nothing starts there.
      return false;
    }
    try {
      return this.paths.every((path) => inodeIn(root, path) === this.#inodes.get(path));
    } finally {
      closeSync(root);
    }
  }

  /** From now on the command may have used them: an empty file may be what it made. */
  started(): void {
    this.#hasStarted = true;
  }

  /** Removes what was made for a run that never started. */
  release(): void {
    release(this.#made, this.#hasStarted);
  }
}

/** Makes what is missing. Throws a JailError if anything isn't what was approved. */
export function openFiles(opens: Openings["opens"] = {}): OpenedFiles {
  const inodes = new Map<string, string>();
  const made: MadeFile[] = [];
  try {
    for (const [path, identity] of Object.entries(opens)) {
      const found = findFile(path);
      if (found.kind === "unfit" || found.identity !== identity) throw changed(path);
      if (found.kind === "missing") made.push(makeFile(path, identity));
      inodes.set(path, found.kind === "missing" ? (made.at(-1) as MadeFile).inode : inodeOf(found.stat));
    }
    return new OpenedFiles(inodes, made);
  } catch (cause) {
    release(made, false);
    throw cause;
  }
}

/** What of these isn't as it was approved. */
export function changedOpening(opens: Openings["opens"] = {}): string | undefined {
  return Object.keys(opens).find((path) => {
    const found = findFile(path);
    return found.kind === "unfit" || found.identity !== opens[path];
  });
}

/** In the directory that was approved, as the hub's user, with its umask. Never a file that somebody else made. */
function makeFile(path: string, identity: string): MadeFile {
  const parent = openWithoutLinks(dirname(path));
  const name = basename(path);
  try {
    if (`missing:${identityOf(fstatSync(parent, { bigint: true }))}` !== identity) throw changed(path);
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    const fd = openSync(`/proc/self/fd/${parent}/${name}`, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
    try {
      return { parent, name, inode: inodeOf(fstatSync(fd, { bigint: true })) };
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    closeSync(parent);
    throw (cause as NodeJS.ErrnoException).code === "EEXIST" ? changed(path, cause) : cause;
  }
}

function release(made: readonly MadeFile[], hasStarted: boolean): void {
  for (const { parent, name, inode } of made) {
    const at = `/proc/self/fd/${parent}/${name}`;
    const stat = hasStarted ? undefined : lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stat?.size === 0n && inodeOf(stat) === inode) unlinkSync(at);
    closeSync(parent);
  }
}

function inodeIn(root: number, path: string): string | undefined {
  try {
    const fd = openEntryBeneath(root, path.slice(1));
    try {
      return inodeOf(fstatSync(fd, { bigint: true }));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    if (cause instanceof SystemError) return undefined;
    throw cause;
  }
}

/** Owners are others inside of a jail. */
function inodeOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}

function changed(path: string, cause?: unknown): JailError {
  return new JailError("OPENING_CHANGED", `Not started: ${path} changed after the decision`, { cause });
}
