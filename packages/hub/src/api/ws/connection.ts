import type { Duplex } from "node:stream";
import { type Clock, frameRate, type Limits, type Timer, type TokenBucket } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import type { RawData, WebSocket } from "ws";
import { type Peer, type SharedFrames, type Spares, textsOf, writeFrames } from "../index.ts";

/** The protocol's close code for policy violations isn't used: our own codes are more specific. */
const PING_EVERY_MS = 30_000;

/** Access to the socket below ws, which writes each frame separately. */
interface Direct {
  readonly socket: Duplex;
  readonly spares: Spares;
}

/**
 * A WebSocket with limits: only text frames, a rate, a bounded send buffer, and a ping that detects half-open
 * connections.
 */
export class Connection implements Peer {
  readonly #ws: WebSocket;
  readonly #direct: Direct | undefined;
  readonly #clock: Clock;
  #limits: Limits;
  readonly #gone = new AbortController();
  #pinging: Timer | undefined;
  #alive = true;
  #closing = false;
  #rate: TokenBucket;
  #waitingForDrain: (() => void)[] = [];

  /** `direct.socket` is the socket of `ws`. Without it frames are written one by one. */
  constructor(ws: WebSocket, options: { readonly clock: Clock; readonly limits: Limits }, direct?: Direct) {
    this.#ws = ws;
    this.#direct = direct;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#rate = frameRate(options.clock, options.limits);
    ws.on("close", () => {
      this.#pinging?.cancel();
      this.#gone.abort();
      this.#drained();
    });
    direct?.socket.on("drain", () => this.#drained());
    // ws closes the connection itself after an error (oversize, bad UTF-8, protocol).
    ws.on("error", () => undefined);
    ws.on("pong", () => {
      this.#alive = true;
    });
    this.#ping();
  }

  /** Aborted when the connection has ended. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  get frameBytes(): number {
    return this.#limits.frameBytes;
  }

  /** Replaces the limits: a gateway's connection to its hub carries the frames of all devices. */
  setLimits(limits: Limits): void {
    this.#limits = limits;
    this.#rate = frameRate(this.#clock, limits);
  }

  onText(listener: (text: string) => void): void {
    this.#ws.on("message", (data: RawData, isBinary: boolean) => {
      if (this.#closing) return;
      if (isBinary) return this.close(CLOSE.badFrame, "only text frames are taken");
      if (!this.#rate.take()) return this.close(CLOSE.rateLimited, "too many frames");
      listener(data.toString());
    });
  }

  /** Returns false if the frame is too large or couldn't be handed to the socket: then it wasn't delivered. */
  send(frame: object): boolean {
    if (this.#ws.readyState !== this.#ws.OPEN) return false;
    const text = JSON.stringify(frame);
    if (Buffer.byteLength(text) > this.#limits.frameBytes || !this.#isRead()) return false;
    this.#ws.send(text);
    return true;
  }

  /**
   * Writes to the socket directly, because ws would write each frame separately. Writes whole frames at once, so that
   * no other frame gets between.
   */
  sendShared(frames: SharedFrames): boolean {
    if (this.#ws.readyState !== this.#ws.OPEN || !this.#isRead()) return false;
    if (this.#direct) writeFrames(frames, this.#direct.socket, this.#direct.spares);
    else for (const text of textsOf(frames)) this.#ws.send(text);
    return true;
  }

  #isRead(): boolean {
    if (this.#ws.bufferedAmount <= this.#limits.sendBufferBytes) return true;
    this.close(CLOSE.tooSlow, "the receiver doesn't read");
    return false;
  }

  /** There is nobody between, so what the socket took has arrived unless the connection is gone. */
  async confirmed(): Promise<boolean> {
    return !this.gone.aborted;
  }

  /** Resolves when the receiver has caught up, or is gone. */
  async drained(most = this.#limits.sendBufferBytes / 4): Promise<void> {
    while (!this.gone.aborted && this.#ws.bufferedAmount > most) {
      await new Promise<void>((resolve) => {
        if (this.#direct?.socket.writableNeedDrain) this.#waitingForDrain.push(resolve);
        else this.#clock.after(10, resolve);
      });
    }
  }

  #drained(): void {
    for (const resolve of this.#waitingForDrain.splice(0)) resolve();
  }

  /** Ignores everything that still comes. */
  close(code: number, reason: string): void {
    this.#closing = true;
    this.#ws.close(code, cutToBytes(reason, LONGEST_REASON));
    // A peer that never answers the close would keep its buffer.
    this.#clock.after(1_000, () => this.#ws.terminate());
  }

  /** Also stops reading: ws would go on collecting an incomplete frame. */
  closeUnread(code: number, reason: string): void {
    this.close(code, reason);
    this.#ws.pause();
  }

  #ping(): void {
    this.#pinging = this.#clock.after(PING_EVERY_MS, () => {
      if (!this.#alive) return this.#ws.terminate();
      this.#alive = false;
      this.#ws.ping();
      this.#ping();
    });
  }
}

/** RFC 6455, 5.5: a control frame carries 125 bytes, two of them the code. ws throws for more. */
const LONGEST_REASON = 123;

function cutToBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
