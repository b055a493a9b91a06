import { riskFloor } from "@countersign/receipts";
import type { DeliveryLimits } from "./limits.ts";

export interface Waiting {
  readonly key: string;
  readonly json: string;
  /** In the journal; undefined where the disk didn't take it. */
  readonly number: number | undefined;
  /** Nothing more is told of a call that was passed on. */
  readonly isLastWord: boolean;
  /** Somebody may have heard it: under its key nothing more can be told. */
  wasSent: boolean;
}

type QueueLimits = Pick<DeliveryLimits, "queueFrames" | "queueBytes" | "reservedShare">;

/** Frames that wait for the relay, in order. */
export class FrameQueue {
  readonly #limits: QueueLimits;
  readonly #waiting: Waiting[];
  #bytes: number;

  constructor(limits: QueueLimits, left: readonly Waiting[]) {
    this.#limits = limits;
    this.#waiting = [...left];
    this.#bytes = left.reduce((sum, { json }) => sum + json.length, 0);
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** A share is kept for what is of high or critical risk: a flood of reads doesn't crowd out a command. */
  hasRoom(actionType: string, length: number): boolean {
    const { queueFrames, queueBytes, reservedShare } = this.#limits;
    const share = isGrave(actionType) ? 1 : 1 - reservedShare;
    return this.#waiting.length + 1 <= queueFrames * share && this.#bytes + length <= queueBytes * share;
  }

  push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#bytes += waiting.json.length;
  }

  /** The oldest ones; one at least, where there is one. */
  oldest(mostFrames: number, mostBytes: number): readonly Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.json.length;
      if (batch.length > 0 && (batch.length >= mostFrames || bytes > mostBytes)) break;
      batch.push(waiting);
    }
    return batch;
  }

  /** So many of the oldest are dealt with. */
  settle(count: number): void {
    for (const { json } of this.#waiting.splice(0, count)) this.#bytes -= json.length;
  }
}

function isGrave(actionType: string): boolean {
  const risk = riskFloor(actionType);
  return risk === "high" || risk === "critical";
}
