import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { stampOf } from "./stamp.ts";

/** Larger "code" than this isn't hashed: the run is refused rather than bound to nothing. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_CACHED = 4096;

/** SHA-256 of files, remembered for as long as the file's stamp stays the same. */
export class FileHashes {
  readonly #known = new Map<string, { stamp: string; hash: Promise<string> }>();

  /** Undefined when there's no such regular file, or it can't be read. */
  async hash(path: string): Promise<string | undefined> {
    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.hash.catch(() => undefined);
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    const hash = hashStream(path);
    this.#known.set(path, { stamp, hash });
    try {
      const hex = await hash;
      // The file may have been replaced while it was read: then the stamp that we would remember is a lie.
      if (stampOf(path) !== stamp) this.#known.delete(path);
      return hex;
    } catch {
      this.#known.delete(path);
      return undefined;
    }
  }
}

async function hashStream(path: string): Promise<string> {
  const tooLarge = () => new Error(`${path} is larger than ${MAX_BYTES} bytes`);
  if ((await stat(path)).size > MAX_BYTES) throw tooLarge();
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES) throw tooLarge();
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}
