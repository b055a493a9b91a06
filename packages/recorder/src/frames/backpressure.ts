import type { Limits } from "@countersign/core/base";
import { FrameError } from "./frame-error.ts";

/** How the connected hub stands to the ledger. */
interface Standing {
  /** Receipts that it wasn't sent yet. */
  readonly behind: number;
  /** How many it was sent just now. */
  readonly sent: number;
}

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

/**
 * A hub takes receipts in the ledger's order, so that its own wait behind those of emitters: where these come faster than it takes them, nothing
 * that it decides would be confirmed in time. So emitters go no faster than their hub. It is one user's turn after the other's, so that whoever
 * sends most waits longest.
 */
export class Backpressure {
  readonly #limits: Pick<Limits, "hubBehind" | "emitterFramesWaiting" | "emitterBytesPerSecond">;
  /** Undefined: no hub is connected. It takes what it has missed when it is back. */
  #behind: number | undefined;
  /** Frames that were let in and aren't on record yet. */
  #inside = 0;
  /** By user. */
  readonly #waiting = new Map<number, Waiting[]>();

  constructor(limits: Pick<Limits, "hubBehind" | "emitterFramesWaiting" | "emitterBytesPerSecond">) {
    this.#limits = limits;
  }

  /** Undefined: it is gone. */
  hub(standing: Standing | undefined): void {
    this.#behind = standing?.behind;
    // One that has much to catch up with does so, and emitters aren't silent for as long as that takes.
    this.#letIn(Math.floor((standing?.sent ?? 0) / 2));
  }

  /** Resolves when a frame may be recorded, in the order in which its user's came; call what comes back when that is done. */
  async enter(uid: number, bytes: number): Promise<() => void> {
    const own = this.#waiting.get(uid) ?? [];
    if (own.length > 0 || !this.#hasRoom) {
      this.#refuseTooMany(own, bytes);
      const turn = new Promise<void>((enter) => own.push({ bytes, enter }));
      this.#waiting.set(uid, own);
      await turn;
    } else this.#inside += 1;
    return () => {
      this.#inside -= 1;
      this.#letIn(0);
    };
  }

  get #hasRoom(): boolean {
    return this.#behind === undefined || this.#behind + this.#inside < this.#limits.hubBehind;
  }

  #letIn(least: number): void {
    for (let count = 0; count < least || this.#hasRoom; count += 1) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const [uid, own] = first;
      this.#waiting.delete(uid);
      const next = own.shift();
      if (own.length > 0) this.#waiting.set(uid, own);
      this.#inside += 1;
      next?.enter();
    }
  }

  #refuseTooMany(own: readonly Waiting[], more: number): void {
    const { emitterFramesWaiting, emitterBytesPerSecond } = this.#limits;
    const bytes = own.reduce((sum, each) => sum + each.bytes, more);
    const why = "The hub doesn't follow as fast; send it again later";
    if (own.length >= emitterFramesWaiting)
      throw new FrameError("TOO_MANY_FRAMES", `${why} (limit: emitterFramesWaiting)`);
    if (bytes > emitterBytesPerSecond) throw new FrameError("TOO_MANY_BYTES", `${why} (limit: emitterBytesPerSecond)`);
  }
}
