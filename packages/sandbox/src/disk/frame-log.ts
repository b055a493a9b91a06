import {
  closeSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { syncDirectory } from "./write-atomically.ts";

const fsyncFile = promisify(fsync);

/** length (4 bytes, big-endian), CRC-32 of the content (4 bytes), content */
const HEADER_BYTES = 8;
const SEGMENT_BYTES = 1024 * 1024;
/** A file that has so much in it and nothing that is still to be done is replaced by an empty one. */
const WORTH_CLEANING_BYTES = 64 * 1024;
const NAME = /^(\d{15})\.log$/;

/** `number`: the first ever written is 1. */
interface LogEntry {
  readonly number: number;
  readonly content: Buffer;
}

/** What entries outlive: the process, as soon as they are appended; a power cut too, once `sync` has resolved. The first never waits for the disk. */
type Outlives = "process" | "power-cut";

interface Segment {
  /** Of its first entry. */
  readonly first: number;
  readonly path: string;
}

/** A file in which something can't be read. `lost`: the numbers of those entries, as far as they can be told. */
interface DamagedFile {
  readonly path: string;
  readonly lost: readonly number[];
}

/** What was read when it was opened. */
export interface OpenedLog {
  readonly log: FrameLog;
  readonly entries: readonly LogEntry[];
  readonly damaged: readonly DamagedFile[];
}

/**
 * Entries in the order in which they were written, in files that are removed once all in them is settled. Which ones of a file are settled isn't
 * written down: after a crash some come again, and whoever takes them knows them by their key.
 */
export class FrameLog {
  readonly #dir: string;
  readonly #outlives: Outlives;
  readonly #segments: Segment[];
  #fd: number;
  #bytes = 0;
  #next: number;
  #settled: number;
  #syncing: Promise<void> | undefined;
  #wanted: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(dir: string, outlives: Outlives, segments: Segment[], next: number) {
    this.#dir = dir;
    this.#outlives = outlives;
    this.#segments = segments;
    this.#next = next;
    this.#settled = (segments[0]?.first ?? next) - 1;
    this.#fd = this.#openSegment();
  }

  static open(dir: string, outlives: Outlives): OpenedLog {
    const names = readdirSync(dir)
      .filter((name) => NAME.test(name))
      .sort();
    const firsts = names.map((name) => Number(NAME.exec(name)?.[1]));
    const used: Segment[] = [];
    const entries: LogEntry[] = [];
    const damaged: DamagedFile[] = [];
    let next = 1;
    for (const [index, name] of names.entries()) {
      const [first, following, path] = [firsts[index] as number, firsts[index + 1], join(dir, name)];
      const { contents, wholeBytes, hasTornTail } = readSegment(readFileSync(path), following && following - first);
      // A tail that was being written when the process died was never acknowledged.
      if (hasTornTail) truncateSync(path, wholeBytes);
      const numbered = contents.map((content, at) => ({ number: first + at, content }));
      entries.push(...numbered.filter((entry): entry is LogEntry => entry.content !== null));
      const lost = numbered.flatMap(({ number, content }) => (content === null ? number : []));
      if (lost.length > 0) damaged.push({ path, lost });
      next = first + contents.length;
      if (contents.length > 0) used.push({ first, path });
      else rmSync(path);
    }
    return { log: new FrameLog(dir, outlives, used, next), entries, damaged };
  }

  /** The number of the newest entry; 0 where there was none. */
  get last(): number {
    return this.#next - 1;
  }

  /** Why nothing is taken any more. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Its number. Throws where the disk doesn't take it, and then nothing of it is there. */
  append(content: Uint8Array): number {
    this.#refuseAfterFailure();
    if (this.#bytes >= SEGMENT_BYTES) this.#rotate();
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(content.length);
    header.writeUInt32BE(crc32(content), 4);
    const entry = Buffer.concat([header, content]);
    try {
      for (let at = 0; at < entry.length; ) at += writeSync(this.#fd, entry, at, entry.length - at, this.#bytes + at);
    } catch (cause) {
      ftruncateSync(this.#fd, this.#bytes);
      throw cause;
    }
    this.#bytes += entry.length;
    this.#next += 1;
    return this.#next - 1;
  }

  /** Resolves once everything that is appended now is on disk. Those who ask meanwhile share the next one. */
  sync(): Promise<void> {
    if (this.#wanted) return this.#wanted;
    const before = this.#syncing?.catch(() => undefined) ?? Promise.resolve();
    this.#wanted = before.then(async () => {
      this.#wanted = undefined;
      this.#refuseAfterFailure();
      this.#syncing = fsyncFile(this.#fd);
      await this.#syncing.catch((cause: unknown) => this.#fail(cause));
    });
    return this.#wanted;
  }

  /** Everything up to this number is done. */
  settle(number: number): void {
    this.#settled = Math.max(this.#settled, number);
    if (this.#settled === this.#next - 1 && this.#bytes >= WORTH_CLEANING_BYTES) this.#rotate();
    for (;;) {
      const [oldest, following] = this.#segments;
      if (!oldest || !following || following.first - 1 > this.#settled) return;
      rmSync(oldest.path, { force: true });
      this.#segments.shift();
    }
  }

  async close(): Promise<void> {
    await this.#syncing?.catch(() => undefined);
    closeSync(this.#fd);
  }

  /** What a disk failed to keep it may pretend to have kept the next time: nothing is taken after that. */
  #fail(cause: unknown): never {
    this.#failure = cause instanceof Error ? cause : new Error(String(cause));
    throw this.#failure;
  }

  #refuseAfterFailure(): void {
    if (this.#failure) throw new Error("the disk has failed to keep what came before", { cause: this.#failure });
  }

  #rotate(): void {
    const before = this.#fd;
    try {
      if (this.#outlives === "power-cut") fsyncSync(before);
    } catch (cause) {
      this.#fail(cause);
    }
    this.#fd = this.#openSegment();
    // Not while another thread is at it: its number would soon be another file's.
    void (this.#syncing ?? Promise.resolve()).catch(() => undefined).finally(() => closeSync(before));
  }

  #openSegment(): number {
    const path = join(this.#dir, `${String(this.#next).padStart(15, "0")}.log`);
    const fd = openSync(path, "wx", 0o600);
    this.#segments.push({ first: this.#next, path });
    this.#bytes = 0;
    if (this.#outlives === "power-cut") syncDirectory(this.#dir);
    return fd;
  }
}

interface ReadSegment {
  /** null: one that can't be read. */
  readonly contents: readonly (Buffer | null)[];
  readonly wholeBytes: number;
  readonly hasTornTail: boolean;
}

/** `count`: how many there have to be; undefined for the newest file, of which only its own bytes tell. */
function readSegment(bytes: Buffer, count: number | undefined): ReadSegment {
  const contents: (Buffer | null)[] = [];
  let at = 0;
  for (let entry = entryAt(bytes, at); entry; entry = entryAt(bytes, at)) {
    contents.push(entry.content);
    at = entry.end;
  }
  const isTail = at < bytes.length;
  // Where whole entries stand behind it, it isn't a tail: its length can't be read, and so not which ones those are.
  const behind = isTail ? wholeEntriesBehind(bytes, at) : 0;
  const missing = count === undefined ? (behind > 0 ? behind + 1 : 0) : Math.max(0, count - contents.length);
  for (let n = 0; n < missing; n += 1) contents.push(null);
  return { contents, wholeBytes: at, hasTornTail: isTail && missing === 0 };
}

/** undefined where none can begin there: an entry is never empty, and ends within its file. `content` is null where it isn't what was written. */
function entryAt(bytes: Buffer, at: number): { readonly content: Buffer | null; readonly end: number } | undefined {
  const from = at + HEADER_BYTES;
  if (from >= bytes.length) return undefined;
  const length = bytes.readUInt32BE(at);
  const end = from + length;
  if (length === 0 || end > bytes.length) return undefined;
  const content = bytes.subarray(from, end);
  return { content: crc32(content) === bytes.readUInt32BE(at + 4) ? content : null, end };
}

function wholeEntriesBehind(bytes: Buffer, from: number): number {
  for (let start = from + 1; start < bytes.length; start += 1) {
    let count = 0;
    for (let entry = entryAt(bytes, start); entry?.content; entry = entryAt(bytes, entry.end)) count += 1;
    if (count > 0) return count;
  }
  return 0;
}
