import { readSync } from "node:fs";
import { parseMountInfo } from "@countersign/core/host/fs";

/** The id of the topmost mount, by its point. */
export type MountTable = ReadonlyMap<string, string>;

const CHUNK_BYTES = 64 * 1024;

/** Reads an open `/proc/<pid>/mountinfo` from its beginning. */
export function readTable(fd: number): MountTable {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const size = readSync(fd, chunk, 0, CHUNK_BYTES, at);
    if (size === 0) break;
    chunks.push(chunk.subarray(0, size));
    at += size;
  }
  return new Map(parseMountInfo(Buffer.concat(chunks)).map(({ id, point }) => [point, id]));
}

/** The first of these mounts that isn't there any more; `""` if the table can't be read, which counts as lost. */
export function lostPoint(fd: number, mounts: MountTable): string | undefined {
  let now: MountTable;
  try {
    now = readTable(fd);
  } catch {
    return "";
  }
  for (const [point, id] of mounts) if (now.get(point) !== id) return point;
  return undefined;
}
