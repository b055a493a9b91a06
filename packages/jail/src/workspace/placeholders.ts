import {
  fchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { remember } from "@countersign/core/base";
import { isAbsence, isInside, kindAt, openDirectory } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import { isMaskedName } from "../sensitive/index.ts";
import { DirectoryPool, isMarked, mark, type Owner } from "./directory-pool.ts";

/** Names that some run holds, until all of them have let go. */
export interface Held {
  /** Ours: empty directories, to be covered in the jail. */
  readonly masks: readonly string[];
  /** Not ours: someone has something there, perhaps since a moment ago. */
  readonly existing: readonly string[];
  /** Once, however often it is called. */
  release(): void;
}

/** Of a few workspaces, in turn. */
const MOST_REMEMBERED = 1_024;

/** Far more than runs at once could hold; a file that claims more isn't ours. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Empty directories at names from which code would be started, while a writable jail runs: what doesn't exist can't be
 * covered. They are listed in a file before they are made, so that the next start removes what a crash left. Only empty
 * directories are ever removed, and by a start only those whose time is ours: whoever puts something there keeps it.
 */
export class Placeholders {
  readonly #listFile: string;
  readonly #pool: DirectoryPool;
  readonly #holders = new Map<string, number>();
  #listed = new Set<string>();

  /** `stateDirectory` exists and is ours alone. Removes what an earlier process left. */
  constructor(stateDirectory: string) {
    this.#listFile = join(stateDirectory, "placeholders.json");
    this.#pool = new DirectoryPool(join(stateDirectory, "placeholders"));
    for (const path of readList(this.#listFile)) if (isMarked(path)) removeEmpty(path);
    rmSync(this.#listFile, { force: true });
  }

  hold(paths: readonly string[]): Held {
    const wanted = [...new Set(paths)];
    const missing = wanted.filter((path) => !this.#holders.has(path) && kindAt(path) === undefined);
    if (missing.some((path) => !this.#listed.has(path))) this.#list([...this.#holders.keys(), ...missing]);
    const made = new Set(this.#makeAll(missing));
    const masks = wanted.filter((path) => made.has(path) || this.#holders.has(path));
    for (const path of masks) this.#holders.set(path, (this.#holders.get(path) ?? 0) + 1);
    let held = true;
    return {
      masks,
      existing: wanted.filter((path) => !masks.includes(path) && kindAt(path) !== undefined),
      release: () => {
        if (held) for (const path of masks) this.#letGo(path);
        held = false;
      },
    };
  }

  /** Whether an empty directory there is one of ours. */
  isHeld(path: string): boolean {
    return this.#holders.has(path);
  }

  /** Ours at these paths, or around them. */
  heldAround(paths: readonly string[]): string[] {
    return [...this.#holders.keys()].filter((held) => paths.some((path) => isInside(path, held)));
  }

  /** When nothing is held any more. */
  close(): void {
    this.#pool.close();
    if (this.#holders.size > 0) return;
    // Needs no space, where a full disk ended the run.
    rmSync(this.#listFile, { force: true });
    this.#listed = new Set();
  }

  #letGo(path: string): void {
    const left = (this.#holders.get(path) ?? 1) - 1;
    if (left > 0) this.#holders.set(path, left);
    else {
      this.#holders.delete(path);
      this.#remove(path);
    }
  }

  #makeAll(paths: readonly string[]): string[] {
    const made: string[] = [];
    const ownerOf = remember((parent) => statSync(nodePath(parent), { throwIfNoEntry: false }));
    try {
      for (const path of paths) if (this.#make(path, ownerOf(dirname(path)))) made.push(path);
      return made;
    } catch (cause) {
      for (const path of made) this.#remove(path);
      throw cause;
    }
  }

  /** False when someone was quicker, or nobody can make anything there: then a jail, with no more rights than ours, can't. */
  #make(path: string, owner: Owner | undefined): boolean {
    if (owner === undefined) return false;
    const error = this.#pool.put(path, owner);
    if (error === undefined) return true;
    return error === "EEXIST" ? false : makeEmpty(path);
  }

  #remove(path: string): void {
    if (!this.#pool.takeBack(path)) removeEmpty(path);
  }

  /**
   * Replaced as a whole, with names of earlier runs, which the next one is likely to hold. After a power cut it may be older than
   * the directories: empty ones then stay behind.
   */
  #list(needed: readonly string[]): void {
    const earlier = [...this.#listed].slice(0, MOST_REMEMBERED);
    this.#listed = new Set([...needed, ...earlier]);
    const beside = `${this.#listFile}.new`;
    writeFileSync(beside, JSON.stringify([...this.#listed]), { mode: 0o600 });
    renameSync(beside, this.#listFile);
  }
}

function readList(file: string): string[] {
  try {
    if ((lstatSync(file, { throwIfNoEntry: false })?.size ?? MOST_BYTES) >= MOST_BYTES) return [];
    const list: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isOurs = (one: unknown) => typeof one === "string" && one.startsWith("/") && isMaskedName(one);
    return Array.isArray(list) ? list.filter(isOurs) : [];
  } catch (cause) {
    // Half a file is a power cut's; an empty directory that stays behind does no harm.
    if (cause instanceof SyntaxError || isAbsence(cause)) return [];
    throw cause;
  }
}

/** In place, as `#make` does it. */
function makeEmpty(path: string): boolean {
  try {
    mkdirSync(nodePath(path));
  } catch (cause) {
    if (NOT_MADE.includes((cause as NodeJS.ErrnoException).code ?? "")) return false;
    throw cause;
  }
  if (process.geteuid?.() === 0) giveToOwner(path);
  mark(nodePath(path));
  return true;
}

/** A root hub's directory would be closed to the workspace's owner, who may want to put something there. */
function giveToOwner(path: string): void {
  using directory = openDirectory(path);
  if (directory === undefined) return;
  const { uid, gid } = statSync(directory.at(".."));
  fchownSync(directory.fd, uid, gid);
}

const NOT_MADE = ["EEXIST", "ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS", "ELOOP", "ENAMETOOLONG"];

/** Fails without harm when it isn't empty, isn't a directory, is gone, or can't be removed. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(nodePath(path));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (!isAbsence(cause) && !LEFT.includes(code ?? "")) throw cause;
  }
}

const LEFT = ["ENOTEMPTY", "EEXIST", "EBUSY", "EPERM", "EROFS"];
