import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { nodePath, pathFromBytes } from "@countersign/native";
import { isAbsence } from "./kind-at.ts";

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
  return open(path, constants.O_RDONLY);
}

/** The same of one to which its owner may have no right any more: it is given back. `fd` is good for looking only. */
export function openClosed(path: string | Buffer): OpenDirectory | undefined {
  // Takes no right to the directory itself.
  const directory = open(path, O_PATH);
  if (directory === undefined) return undefined;
  try {
    const { mode } = fstatSync(directory.fd);
    if ((mode & OWNER) !== OWNER) chmodSync(directory.path, (mode & 0o7777) | OWNER);
    return directory;
  } catch (cause) {
    directory[Symbol.dispose]();
    throw cause;
  }
}

const O_PATH = 0o10000000;
const OWNER = 0o700;

function open(path: string | Buffer, access: number): OpenDirectory | undefined {
  let fd: number;
  try {
    const at = typeof path === "string" ? nodePath(path) : path;
    fd = openSync(at, access | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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
