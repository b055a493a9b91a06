import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { isAbsence } from "./kind-at.ts";
import { nodePath, pathFromBytes } from "./path-bytes.ts";

/** A directory that stays the same one, whatever is done to its name and to those above it in the meantime. */
export interface OpenDirectory extends Disposable {
  readonly fd: number;
  /** A path by which Node's functions reach an entry of it. */
  at(name: string): string;
}

/**
 * Opens a directory that really stands at this path; undefined when it doesn't, or a link stood on the way: another jail may
 * swap a directory for a link at any moment, and what is done behind it would be done elsewhere.
 */
export function openDirectory(path: string): OpenDirectory | undefined {
  let fd: number;
  try {
    fd = openSync(nodePath(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
  const link = `/proc/self/fd/${fd}`;
  const close = () => closeSync(fd);
  if (pathFromBytes(readlinkSync(link, { encoding: "buffer" })) !== path) {
    close();
    return undefined;
  }
  return { fd, at: (name) => `${link}/${name}`, [Symbol.dispose]: close };
}
