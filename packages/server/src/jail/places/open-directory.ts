import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { isAbsence } from "./kind-at.ts";
import { nodePath, pathFromBytes } from "./path-bytes.ts";

/** A directory that stays the same one, whatever is done to its name and to those above it in the meantime. */
export interface OpenDirectory extends Disposable {
  readonly fd: number;
  /** By which Node's functions reach it. */
  readonly path: string;
  /** By which they reach an entry of it. */
  at(name: string): string | Buffer;
  /** Where it is now. */
  realPath(): string;
}

/**
 * Opens a directory that really stands at this path; undefined when it doesn't, or a link stood on the way: another jail may
 * swap a directory for a link at any moment, and what is done behind it would be done elsewhere.
 */
export function openDirectory(path: string): OpenDirectory | undefined {
  const directory = openInside(path);
  if (directory === undefined || directory.realPath() === path) return directory;
  directory[Symbol.dispose]();
  return undefined;
}

/** The same for an entry of a directory that is open already: `path` comes from its `at`. */
export function openInside(path: string | Buffer): OpenDirectory | undefined {
  let fd: number;
  try {
    const at = typeof path === "string" ? nodePath(path) : path;
    fd = openSync(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
  const link = `/proc/self/fd/${fd}`;
  return {
    fd,
    path: link,
    at: (name) => nodePath(`${link}/${name}`),
    realPath: () => pathFromBytes(readlinkSync(link, { encoding: "buffer" })),
    [Symbol.dispose]: () => closeSync(fd),
  };
}
