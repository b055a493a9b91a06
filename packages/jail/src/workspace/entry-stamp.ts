import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { readRegular } from "@countersign/core/host";
import { nodePath, pathFromBytes } from "@countersign/native";
import type { FileType } from "@countersign/vocabulary";

/** What stands at a path, for a later look to compare with. */
export interface Stamp {
  readonly kind: FileType;
  readonly mode: number;
  /** Device, inode, size and ctime: its owner can set none of them back. */
  readonly identity: string;
  /** Device, inode and birth: they stay when it is written to in place. An inode alone is soon another's. */
  readonly inode?: string | undefined;
  /** Names of a file that has more than one. */
  readonly links?: number | undefined;
  /** SHA-256 of a file, target of a link. Undefined where a file is too large or can't be read: then the identity decides. */
  readonly content?: string | undefined;
  /** Starts code by the tables itself; other entries only lie in such a directory. */
  readonly top?: true | undefined;
  /** Not every entry of this directory is stamped. */
  readonly partial?: true | undefined;
}

/** Larger files are known by their identity. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;
const MOST_CACHED = 20_000;

/** The clock of file systems may go in steps as long as 2 s: a younger file may change again and keep its identity. */
const STEP_MS = 2_000;

/** Stamps entries, and hashes a file again only if its identity changed. */
export class Stamper {
  readonly #known = new Map<string, { readonly identity: string; readonly content: string }>();

  /** Undefined when nothing is there that we could reach. `budget` limits the bytes that are hashed. */
  stamp(path: string, budget: { bytes: number }): Stamp | undefined {
    const stat = lookAt(path);
    if (stat === undefined) return undefined;
    const about = { mode: stat.mode & 0o7777, identity: identityOf(stat), inode: inodeOf(stat) };
    if (stat.isDirectory()) return { kind: "directory", ...about };
    if (stat.isSymbolicLink()) return { kind: "link", ...about, content: targetOf(path) };
    if (!stat.isFile()) return { kind: "other", ...about, content: `${stat.mode}:${stat.rdev}` };
    const names = stat.nlink > 1 ? { links: stat.nlink } : {};
    return { kind: "file", ...about, ...names, content: this.#contentOf(path, stat, budget) };
  }

  #contentOf(path: string, stat: Stats, budget: { bytes: number }): string | undefined {
    const identity = identityOf(stat);
    const known = this.#known.get(path);
    if (known?.identity === identity) return known.content;
    if (stat.size > Math.min(MOST_FILE_BYTES, budget.bytes)) return undefined;
    budget.bytes -= stat.size;
    const read = unlessRefused(() => readRegular(path, MOST_FILE_BYTES));
    if (read === undefined) return undefined;
    const content = createHash("sha256").update(read.content).digest("hex");
    if (this.#known.size >= MOST_CACHED) this.#known.clear();
    const isOld = Math.max(stat.mtimeMs, stat.ctimeMs) < Date.now() - STEP_MS;
    if (isOld && identityOf(read.stat) === identity) this.#known.set(path, { identity, content });
    return content;
  }
}

/** Whether what stands there now is what stood there then. */
export function isSame(then: Stamp, now: Stamp): boolean {
  if (then.kind !== now.kind) return false;
  if (then.kind === "directory") return then.partial ? then.identity === now.identity : !now.partial;
  if (then.mode !== now.mode) return false;
  // By a name that nothing holds, a later run could write to it.
  if ((now.links ?? 1) > (then.links ?? 1)) return false;
  if (then.content === undefined || now.content === undefined) return then.identity === now.identity;
  return then.content === now.content;
}

function identityOf({ dev, ino, size, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${ctimeMs}`;
}

function inodeOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

function lookAt(path: string): Stats | undefined {
  return unlessRefused(() => lstatSync(nodePath(path), { throwIfNoEntry: false }));
}

function targetOf(link: string): string | undefined {
  return unlessRefused(() => pathFromBytes(readlinkSync(nodePath(link), { encoding: "buffer" })));
}

/** Undefined for whatever a file system says no to. */
function unlessRefused<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return undefined;
  }
}
