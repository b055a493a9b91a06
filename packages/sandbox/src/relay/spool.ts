import { mkdirSync } from "node:fs";
import { type DirectoryLock, FrameLog, lockDirectory, type OpenedLog } from "../disk/index.ts";
import type { Log } from "../errors/index.ts";
import type { RelayLimits } from "./limits.ts";
import type { RelayFrame } from "./read-frame.ts";
import { RelayError } from "./relay-error.ts";

interface Spooled {
  readonly number: number;
  readonly frame: RelayFrame;
}

const RETRY_AFTER_S = 5;

/** Frames that were acknowledged and that the recorder hasn't got yet, on disk, in order. */
export class Spool {
  /** Frames that a relay before this one had acknowledged, and that can't be read any more. */
  readonly lost: number;
  readonly #log: FrameLog;
  readonly #limits: RelayLimits;
  readonly #lock: DirectoryLock;
  readonly #waiting: Spooled[] = [];
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  private constructor({ log, entries, damaged }: OpenedLog, limits: RelayLimits, lock: DirectoryLock) {
    this.#log = log;
    this.#limits = limits;
    this.#lock = lock;
    this.lost = damaged.reduce((sum, { lost }) => sum + lost.length, 0);
    for (const { number, content } of entries) this.#keep(number, frameOf(content));
  }

  /** With what a relay before this one had acknowledged. Throws DirectoryError where another one is at it. */
  static open(dir: string, limits: RelayLimits, log: Log): Spool {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const lock = lockDirectory(dir, "relay");
    try {
      const opened = FrameLog.open(dir, "power-cut");
      for (const { path, lost } of opened.damaged)
        log.error({ path, frames: lost.length }, "a file of the spool is damaged: acknowledged frames are lost");
      return new Spool(opened, limits, lock);
    } catch (cause) {
      lock.release();
      throw cause;
    }
  }

  get count(): number {
    return this.#waiting.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limits.spoolBytes;
  }

  /** Why it takes nothing until a relay is started anew. */
  get problem(): string | undefined {
    return this.#log.failure?.message;
  }

  /** All of them or none; resolves once they are on disk. Throws RelayError where there's no room. */
  async add(frames: readonly RelayFrame[]): Promise<void> {
    this.#refuseTooMuch(frames);
    try {
      for (const frame of frames) this.#keep(this.#log.append(contentOf(frame)), frame);
      await this.#log.sync();
    } catch (cause) {
      // Those that were written before it go all the same, and once: their sender sends them again under the same keys.
      throw new RelayError("SPOOL_FULL", "The relay can't keep it on disk", { cause, retryAfterS: RETRY_AFTER_S });
    }
  }

  /** The oldest ones. */
  oldest(count: number): readonly RelayFrame[] {
    return this.#waiting.slice(0, count).map(({ frame }) => frame);
  }

  /** So many of the oldest are dealt with. */
  settle(count: number): void {
    const settled = this.#waiting.splice(0, count);
    for (const { frame } of settled) this.#count(frame, -1);
    const last = settled.at(-1);
    if (last) this.#log.settle(last.number);
  }

  async close(): Promise<void> {
    await this.#log.close();
    this.#lock.release();
  }

  #refuseTooMuch(frames: readonly RelayFrame[]): void {
    const bytes = frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
    const ofSandbox = this.#bytesOf.get(frames[0]?.sandboxId ?? "") ?? 0;
    const { spoolBytes, spoolBytesPerSandbox } = this.#limits;
    if (this.#bytes + bytes <= spoolBytes && ofSandbox + bytes <= spoolBytesPerSandbox) return;
    const limit = this.#bytes + bytes > spoolBytes ? "spoolBytes" : "spoolBytesPerSandbox";
    const message = `The recorder is away, and no more waits for it here (limit: ${limit})`;
    throw new RelayError("SPOOL_FULL", message, { retryAfterS: RETRY_AFTER_S });
  }

  #keep(number: number, frame: RelayFrame): void {
    this.#waiting.push({ number, frame });
    this.#count(frame, 1);
  }

  #count({ sandboxId, bytes }: RelayFrame, sign: 1 | -1): void {
    const change = sign * bytes.length;
    this.#bytes += change;
    const ofSandbox = (this.#bytesOf.get(sandboxId) ?? 0) + change;
    if (ofSandbox === 0) this.#bytesOf.delete(sandboxId);
    else this.#bytesOf.set(sandboxId, ofSandbox);
  }
}

/** sandbox id, NUL, key, NUL, the recorder's frame */
function contentOf({ sandboxId, key, bytes }: RelayFrame): Buffer {
  return Buffer.concat([Buffer.from(`${sandboxId}\0${key}\0`), bytes]);
}

function frameOf(content: Buffer): RelayFrame {
  const first = content.indexOf(0);
  const second = content.indexOf(0, first + 1);
  return {
    sandboxId: content.subarray(0, first).toString(),
    key: content.subarray(first + 1, second).toString(),
    bytes: content.subarray(second + 1),
  };
}
