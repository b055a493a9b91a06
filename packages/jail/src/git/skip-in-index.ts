import { createHash } from "node:crypto";

// gitformat-index(5). A header of 12 bytes: "DIRC", version, number of entries. Then the entries, the extensions, and a hash of
// all that. An entry: 40 bytes of stat (its mtime at 8), the object's id, 2 bytes of flags, in version 3 perhaps 2 more, the
// path, and from 1 to 8 zeros up to a multiple of 8.
const HEADER = 12;
const MTIME = 8;
const STAT = 40;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const EXTENSION_HEADER = 8;

/** What comes of an index in which git leaves some files of the worktree alone. */
export interface Skipped {
  readonly index: Buffer;
  /** The paths among those that are tracked. */
  readonly paths: readonly string[];
}

/**
 * The same index, with the bit set that says that a file isn't in the worktree (git calls it skip-worktree), for each file that
 * `isSkipped`. Undefined when none is, or when it is of a form that isn't known here: version 4, split or sparse.
 *
 * git takes a file for unchanged when its times are the recorded ones, unless it was changed as late as the index was written
 * (`writtenAtSec`). This copy is younger than the index: such files lose their time, so that git looks at their contents.
 */
export function skipInIndex(
  index: Buffer,
  isSkipped: (path: string) => boolean,
  writtenAtSec: number,
): Skipped | undefined {
  const hash = hashOf(index);
  if (hash === undefined || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  const parts: Buffer[] = [];
  const paths: string[] = [];
  const end = index.length - hash.bytes;
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const entry = entryAt(index, at, hash.bytes);
    if (entry === undefined || entry.next > end) return undefined;
    const skip = isSkipped(entry.path);
    if (skip) paths.push(entry.path);
    parts.push(rewritten(index.subarray(at, entry.next), entry, { skip, writtenAtSec }));
    at = entry.next;
  }
  const kept = extensionsFrom(index, at, end);
  if (kept === undefined || paths.length === 0) return undefined;
  const header = Buffer.from(index.subarray(0, HEADER));
  header.writeUInt32BE(3, 4);
  const body = Buffer.concat([header, ...parts, ...kept]);
  return { index: Buffer.concat([body, createHash(hash.name).update(body).digest()]), paths };
}

/** Which hash a repository uses is told by the one that fits; zeros stand for one that wasn't computed. */
function hashOf(index: Buffer): { readonly name: string; readonly bytes: number } | undefined {
  const all = [
    { name: "sha1", bytes: 20 },
    { name: "sha256", bytes: 32 },
  ];
  return all.find(({ name, bytes }) => {
    if (index.length < HEADER + bytes) return false;
    const end = index.length - bytes;
    const found = index.subarray(end);
    return found.equals(createHash(name).update(index.subarray(0, end)).digest()) || (bytes === 20 && isZero(found));
  });
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

interface Entry {
  readonly path: string;
  /** Where its flags are, in the entry; behind them the path, or more flags and then the path. */
  readonly flagsAt: number;
  readonly flags: number;
  readonly pathBytes: Buffer;
  readonly more: number;
  readonly next: number;
}

function entryAt(index: Buffer, at: number, idBytes: number): Entry | undefined {
  const flagsAt = STAT + idBytes;
  if (at + flagsAt + 4 > index.length) return undefined;
  const flags = index.readUInt16BE(at + flagsAt);
  const extended = (flags & EXTENDED) !== 0;
  const pathAt = at + flagsAt + (extended ? 4 : 2);
  const pathEnd = index.indexOf(0, pathAt);
  if (pathEnd === -1) return undefined;
  const pathBytes = index.subarray(pathAt, pathEnd);
  const next = at + padded(pathEnd - at);
  const more = extended ? index.readUInt16BE(at + flagsAt + 2) : 0;
  return { path: pathBytes.toString("latin1"), flagsAt, flags, pathBytes, more, next };
}

function padded(length: number): number {
  return (length + 8) & ~7;
}

function rewritten(
  entry: Buffer,
  { flagsAt, flags, pathBytes, more }: Entry,
  { skip, writtenAtSec }: { readonly skip: boolean; readonly writtenAtSec: number },
): Buffer {
  const racy = entry.readUInt32BE(MTIME) >= writtenAtSec;
  if (!skip && !racy) return entry;
  const extended = skip || (flags & EXTENDED) !== 0;
  const pathAt = flagsAt + (extended ? 4 : 2);
  const made = Buffer.alloc(padded(pathAt + pathBytes.length));
  entry.copy(made, 0, 0, flagsAt);
  if (racy) made.writeBigUInt64BE(0n, MTIME);
  made.writeUInt16BE(extended ? flags | EXTENDED : flags, flagsAt);
  if (extended) made.writeUInt16BE(skip ? more | SKIP_WORKTREE : more, flagsAt + 2);
  pathBytes.copy(made, pathAt);
  return made;
}

/** Those that are known to stay true; the others may be left out, unless their name begins with a small letter. */
function extensionsFrom(index: Buffer, from: number, end: number): Buffer[] | undefined {
  const kept: Buffer[] = [];
  for (let at = from; at < end; ) {
    if (at + EXTENSION_HEADER > end) return undefined;
    const name = index.toString("latin1", at, at + 4);
    const next = at + EXTENSION_HEADER + index.readUInt32BE(at + 4);
    if (next > end || !/^[A-Z]/.test(name)) return undefined;
    if (name === "TREE" || name === "REUC") kept.push(index.subarray(at, next));
    at = next;
  }
  return kept;
}
