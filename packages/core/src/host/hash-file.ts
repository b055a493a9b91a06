import { createHash } from "node:crypto";
import { constants, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { stampOf } from "./stamp.ts";

/** Larger files aren't read; they are known by their stamp. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_CACHED = 4096;

/** A pipe that took a file's place would be waited for, and nobody writes to it. */
export const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** SHA-256 of files, remembered for as long as the file's stamp stays the same. */
export class FileHashes {
  readonly #known = new Map<string, { stamp: string; hash: Promise<string> }>();

  /**
   * Undefined when there's no such regular file. One that can't be read, or is too large to, is known by its stamp,
   * so that it is bound to something too.
   */
  async hash(path: string): Promise<string | undefined> {
    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return await known.hash.catch(() => unread(stamp));
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    const hash = hashStream(path);
    this.#known.set(path, { stamp, hash });
    try {
      const hex = await hash;
      // Replaced while it was read, or so young that another write could have the same time: the stamp proves nothing.
      if (stampOf(path) !== stamp || isYoung(path)) this.#known.delete(path);
      return hex;
    } catch {
      this.#known.delete(path);
      return unread(stamp);
    }
  }
}

function unread(stamp: string): string {
  return `unread:${stamp}`;
}

/** Whether this stands for the hash of a file that wasn't read. */
export function isUnread(hash: string): boolean {
  return hash.startsWith("unread:");
}

/** Kernels tick in steps of up to 10 ms; two writes in one step leave the same stamp. */
const TICK_MS = 50;

function isYoung(path: string): boolean {
  const changedAtMs = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return Date.now() - changedAtMs < TICK_MS;
}

async function hashStream(path: string): Promise<string> {
  await using file = await open(path, WITHOUT_WAITING);
  const stat = await file.stat();
  if (!stat.isFile()) throw new Error(`${path} isn't a file`);
  const tooLarge = () => new Error(`${path} is larger than ${MAX_BYTES} bytes`);
  if (stat.size > MAX_BYTES) throw tooLarge();
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES) throw tooLarge();
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}
