import { lstatSync, realpathSync } from "node:fs";
import { nodePath, pathFromBytes } from "./path-bytes.ts";

/** A path that must not be seen in a jail: covered with an empty file or directory that can't be opened. */
export interface Hide {
  readonly kind: "hide";
  readonly path: string;
  readonly what: "file" | "directory";
}

/**
 * How to hide what stands at a path; undefined when nothing does. A link can't be covered: what it leads to is, since that
 * holds the contents.
 */
export function hideAt(path: string): Hide | undefined {
  try {
    const at = pathFromBytes(realpathSync.native(nodePath(path), { encoding: "buffer" }));
    const stat = lstatSync(nodePath(at));
    return { kind: "hide", path: at, what: stat.isDirectory() ? "directory" : "file" };
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}

/** Nothing is there, or nothing that we or a jail with our rights could reach. */
export function isAbsence(cause: unknown): boolean {
  return ABSENT.includes((cause as NodeJS.ErrnoException).code ?? "");
}

const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"];
