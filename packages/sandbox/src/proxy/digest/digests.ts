import { BLOCK_BYTES, type FilledBlock, type HashedBlock, MOST_PIECES, type Piece } from "./block.ts";
import { HashThread, type HashThreadOptions, type LostHash } from "./hash-thread.ts";

/** So many blocks may be at the thread or on their way. Then what brings more waits until one comes back. */
const MOST_BLOCKS = 4;
/** A socket's chunk: so many of those that wait go on for a block that has come back. */
export const CHUNK_BYTES = 64 * 1024;
/**
 * What all bodies together keep of their beginnings, beside the first few KiB of each, before they are known to be large: those that find no room go
 * to the thread at once.
 */
const MOST_KEPT = 8 * 1024 * 1024;

export type Hashed = { readonly hash: string } | { readonly lost: LostHash };

/** A body whose bytes go to the thread. */
export interface OpenDigest {
  readonly id: number;
  /** Told whatever becomes of the thread. */
  readonly hashed: Promise<Hashed>;
}

/**
 * What large bodies are hashed through: their bytes are copied into blocks that all of them share, and a thread hashes those. The copy costs a tenth of
 * the hash, and leaves a socket's chunk free to be written and let go of.
 */
export class Digests {
  readonly #thread: HashThread;
  readonly #open = new Map<number, (hashed: Hashed) => void>();
  #lastId = 0;
  #kept = 0;
  /** The block that is being filled. */
  #memory: Buffer<ArrayBuffer> | null = null;
  #filled = 0;
  #pieces: Piece[] = [];
  /** A body has ended in it: it isn't waited for until it is full. */
  #isDue = false;
  #free: ArrayBuffer[] = [];
  #out = 0;
  #waiting: (() => void)[] = [];

  constructor(options: Pick<HashThreadOptions, "url" | "lateMs"> = {}) {
    this.#thread = new HashThread({
      ...options,
      onHashed: (block) => this.#hashed(block),
      onLost: (why) => this.#lost(why),
    });
  }

  /** Whether a body may keep so much more of its beginning; none is always there. */
  keep(bytes: number): boolean {
    if (this.#kept + bytes > MOST_KEPT) return false;
    this.#kept += bytes;
    return true;
  }

  letGo(bytes: number): void {
    this.#kept -= bytes;
  }

  open(): OpenDigest {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Hashed>();
    this.#open.set(id, resolve);
    return { id, hashed: promise };
  }

  /** Takes all of it, also when it is full: as with a stream, who brings it waits afterwards. */
  give({ id }: OpenDigest, bytes: Buffer): void {
    // What is lost stays so.
    for (let at = 0; at < bytes.length && this.#open.has(id); ) {
      const memory = this.#fill();
      const length = Math.min(bytes.length - at, BLOCK_BYTES - this.#filled);
      bytes.copy(memory, this.#filled, at, at + length);
      at += length;
      this.#filled += length;
      this.#addPiece({ id, length, isLast: false });
    }
  }

  /** After the last byte. */
  finish({ id, hashed }: OpenDigest): Promise<Hashed> {
    if (this.#open.has(id)) {
      this.#fill();
      this.#isDue = true;
      this.#addPiece({ id, length: 0, isLast: true });
      this.#postDue();
    }
    return hashed;
  }

  get isFull(): boolean {
    return this.#out >= MOST_BLOCKS;
  }

  /** When there is room again, in turn. */
  async drained(): Promise<void> {
    if (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #fill(): Buffer {
    this.#memory ??= Buffer.from(this.#free.pop() ?? new ArrayBuffer(BLOCK_BYTES));
    return this.#memory;
  }

  #addPiece(piece: Piece): void {
    const last = this.#pieces.at(-1);
    if (last?.id === piece.id) this.#pieces.pop();
    const length = last?.id === piece.id ? last.length + piece.length : piece.length;
    this.#pieces.push({ ...piece, length });
    if (this.#filled === BLOCK_BYTES || this.#pieces.length === MOST_PIECES) this.#post();
  }

  /** Ends that come while the thread is behind share a block: however many they are, they take no more memory. */
  #postDue(): void {
    if (this.#isDue && !this.isFull) this.#post();
  }

  #post(): void {
    if (!this.#memory) return;
    const block: FilledBlock = { memory: this.#memory.buffer, pieces: this.#pieces };
    this.#beginBlock();
    this.#out++;
    this.#thread.post(block);
  }

  #beginBlock(): void {
    this.#memory = null;
    this.#filled = 0;
    this.#pieces = [];
    this.#isDue = false;
  }

  #hashed({ memory, ended }: HashedBlock): void {
    this.#out--;
    if (this.#free.length < MOST_BLOCKS) this.#free.push(memory);
    for (const [id, hash] of ended) this.#settle(id, { hash: `sha256:${hash}` });
    this.#postDue();
    this.#wake();
  }

  /** All that is open has bytes in what is gone, or may have. */
  #lost(lost: LostHash): void {
    this.#beginBlock();
    this.#out = 0;
    for (const id of [...this.#open.keys()]) this.#settle(id, { lost });
    this.#wake();
  }

  #settle(id: number, hashed: Hashed): void {
    this.#open.get(id)?.(hashed);
    this.#open.delete(id);
  }

  /** Those that have waited for longest; all of them where nothing is left that would come back. */
  #wake(): void {
    if (this.isFull) return;
    const count = this.#out === 0 ? this.#waiting.length : BLOCK_BYTES / CHUNK_BYTES;
    for (const wake of this.#waiting.splice(0, count)) wake();
  }
}
