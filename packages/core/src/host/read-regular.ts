import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { nodePath } from "@countersign/native";
import { isAbsence } from "./fs/index.ts";

/** A file's contents; undefined unless it is a file of at most so many bytes. No link is followed, and no pipe waited for. */
export function readRegular(
  path: string,
  most: number,
): { readonly content: Buffer; readonly stat: Stats } | undefined {
  let fd: number;
  try {
    fd = openSync(nodePath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    // ENXIO: a socket.
    if (isAbsence(cause) || (cause as NodeJS.ErrnoException).code === "ENXIO") return undefined;
    throw cause;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > most) return undefined;
    const buffer = Buffer.alloc(stat.size);
    return { content: buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0)), stat };
  } finally {
    closeSync(fd);
  }
}
