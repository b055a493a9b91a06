import { createHash, type Hash } from "node:crypto";
import type { FilledBlock, HashedBlock } from "./block.ts";

/** SHA-256 of bodies that come in pieces, many at a time. On the thread, and where there can be none. */
export class HashBlocks {
  readonly #open = new Map<number, Hash>();

  hash({ memory, pieces }: FilledBlock): HashedBlock {
    const ended: (readonly [number, string])[] = [];
    let at = 0;
    for (const { id, length, isLast } of pieces) {
      const hash = this.#open.get(id) ?? createHash("sha256");
      hash.update(new Uint8Array(memory, at, length));
      at += length;
      if (isLast) {
        this.#open.delete(id);
        ended.push([id, hash.digest("hex")]);
      } else this.#open.set(id, hash);
    }
    return { memory, ended };
  }
}
