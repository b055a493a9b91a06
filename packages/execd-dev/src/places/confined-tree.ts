import { chownSync, closeSync, constants, mkdirSync, openSync, readlinkSync } from "node:fs";
import { OutsideError, type Owner, type Place, type Tree, type Wish } from "./tree.ts";

/** A directory, and by which path it is known to those who live in it. */
export interface Root {
  readonly shown: string;
  readonly directory: string;
  /** A name in it that is nobody's to look at or to change: in a jail something else stands there. */
  readonly held?: string | undefined;
  /** Nothing of it is to be had, and what is around it doesn't stand for it. */
  readonly isClosed?: boolean;
  /** Whose what is made there must be, so that its inhabitants can change it. Undefined: whoever makes it. */
  readonly owner?: Owner | undefined;
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Node has no name for it; it is the same on every architecture that Node runs on. */
const O_PATH = 0o10000000;
/** As many as the kernel follows. */
const MAX_LINKS = 40;

/** It leads above the root, or to what is held in it. */
const ABOVE = new Error("not in the root");

interface OpenRoot extends Root {
  readonly fd: number;
}

/**
 * Some directories and nothing else, while somebody hostile works in them at the same time. Each part of a path is opened by itself, in the directory that was
 * opened before (`/proc/self/fd/<n>/<name>` is what openat(2) would be), and never through a link: links are read, and walked as their inhabitants would
 * see them. So neither `..`, nor a link, nor a directory that is swapped for one between two looks leads out. Hard links to what is outside can't be made
 * inside: in a jail that is another mount.
 */
export class ConfinedTree implements Tree {
  /** A link that was put there since is refused, and a pipe isn't waited for. */
  readonly openFlags = O_NOFOLLOW | O_NONBLOCK;
  /** The innermost first. */
  readonly #roots: readonly OpenRoot[];
  #isClosed = false;

  constructor(roots: readonly Root[]) {
    const inner = roots.toSorted((one, other) => other.shown.length - one.shown.length);
    const opened: OpenRoot[] = [];
    try {
      for (const root of inner) opened.push({ ...root, fd: openSync(root.directory, O_PATH | O_DIRECTORY) });
    } catch (cause) {
      for (const { fd } of opened) closeSync(fd);
      throw cause;
    }
    this.#roots = opened;
  }

  find(path: string, wish: Wish): Place {
    let walk = this.#begin(path);
    try {
      for (let links = 0; ; links += 1) {
        const link = walk.toLink(wish);
        if (link === undefined) return walk.take(path);
        if (links === MAX_LINKS) throw systemError("ELOOP", path);
        if (!link.startsWith("/")) walk.insert(link);
        else {
          const rest = walk.rest();
          walk.close();
          walk = this.#begin(`${link}/${rest}`);
        }
      }
    } catch (cause) {
      walk.close();
      throw cause === ABOVE ? this.#outside(path) : cause;
    }
  }

  enter({ shown, path }: Pick<Place, "shown" | "path">): Place {
    return opened(shown, openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  pin({ shown, path }: Pick<Place, "shown" | "path">): Place {
    return opened(shown, openSync(path, O_PATH | O_NOFOLLOW));
  }

  close(): void {
    this.#isClosed = true;
    for (const { fd } of this.#roots) closeSync(fd);
  }

  #begin(path: string): Walk {
    // Their numbers may be other files' by now.
    if (this.#isClosed) throw systemError("ESTALE", path);
    const parts = partsOf(path);
    for (const root of this.#roots) {
      const above = partsOf(root.shown);
      if (!above.every((part, at) => part === parts[at])) continue;
      if (root.isClosed) break;
      return new Walk(root, parts.slice(above.length));
    }
    throw this.#outside(path);
  }

  #outside(path: string): OutsideError {
    return new OutsideError(
      path,
      this.#roots.filter(({ isClosed }) => !isClosed).map(({ shown }) => shown),
    );
  }
}

function opened(shown: string, fd: number): Place {
  return { shown, path: `/proc/self/fd/${fd}`, close: () => closeSync(fd) };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Down from a root, one directory at a time; those that were passed stay open, for `..` to go back to. */
class Walk {
  readonly #root: OpenRoot;
  /** The root's own, too: what was found is used when the tree is closed already, and its number another's. */
  readonly #base: number;
  readonly #passed: number[] = [];
  #parts: string[];
  #isClosed = false;

  constructor(root: OpenRoot, parts: string[]) {
    this.#root = root;
    this.#base = openSync(`/proc/self/fd/${root.fd}`, O_PATH | O_DIRECTORY);
    this.#parts = parts;
  }

  /** Goes on to the next link, which it reads; undefined: there is none on the way any more. */
  toLink({ follow, make }: Wish): string | undefined {
    for (;;) {
      const [name] = this.#parts;
      if (name === undefined) return undefined;
      if (name === "..") {
        this.#up();
        continue;
      }
      if (this.#passed.length === 0 && name === this.#root.held) throw ABOVE;
      const isLast = this.#parts.length === 1;
      const here = `${this.#here}/${name}`;
      const link = isLast && !follow ? undefined : linkAt(here);
      if (link !== undefined) {
        this.#parts.shift();
        return link;
      }
      if (isLast) return undefined;
      this.#passed.push(enterOrMake(here, { make: make ?? false, owner: this.#root.owner }));
      this.#parts.shift();
    }
  }

  insert(link: string): void {
    this.#parts.unshift(...partsOf(link));
  }

  rest(): string {
    return this.#parts.join("/");
  }

  take(shown: string): Place {
    // A root itself can be looked at, and neither moved nor removed.
    const [name] = this.#parts;
    const isRoot = name === undefined && this.#passed.length === 0;
    const { owner } = this.#root;
    return { shown, path: `${this.#here}/${name ?? "."}`, isRoot, owner, close: () => this.close() };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const fd of [...this.#passed, this.#base]) closeSync(fd);
  }

  get #here(): string {
    return `/proc/self/fd/${this.#passed.at(-1) ?? this.#base}`;
  }

  #up(): void {
    const fd = this.#passed.pop();
    if (fd === undefined) throw ABOVE;
    closeSync(fd);
    this.#parts.shift();
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // It is something else, or nothing yet: who opens it is told.
    if (code === "EINVAL" || code === "ENOENT") return undefined;
    throw cause;
  }
}

function enterOrMake(path: string, { make, owner }: { make: boolean; owner: Owner | undefined }): number {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    if (!make || (cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    makeUnlessThere(path);
    const made = openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    // By its descriptor: the name may be another's already.
    if (owner) chownSync(`/proc/self/fd/${made}`, owner.uid, owner.gid);
    return made;
  }
}

function makeUnlessThere(path: string): void {
  try {
    mkdirSync(path, { mode: 0o777 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, syscall: "open", path });
}
