import type { Socket } from "node:net";
import { FrameBuffer, writeFrame } from "../frames/index.ts";
import { LONGEST_MESSAGE } from "./hub-wire.ts";

export interface MessageEvents {
  /** One at a time, in order; what it throws ends the connection. */
  message(message: unknown): void | Promise<void>;
  /** Once; the cause where it ended for one. */
  closed(cause?: unknown): void;
}

/** Messages over a unix socket. Reads no faster than they are dealt with. */
export class MessageSocket {
  readonly #socket: Socket;
  readonly #events: MessageEvents;
  readonly #received = new FrameBuffer(LONGEST_MESSAGE);
  #busy = false;
  #cause: unknown;
  #isEnding = false;

  constructor(socket: Socket, events: MessageEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on("error", (cause) => {
      this.#cause ??= cause;
    });
    socket.on("data", (chunk: Buffer) => {
      this.#received.push(chunk);
      if (!this.#busy) void this.#deal();
    });
    socket.on("close", () => events.closed(this.#cause));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** Resolves when the other side has taken enough for more to be sent. */
  async send(message: object): Promise<void> {
    if (!this.isOpen || this.#socket.write(writeFrame(message))) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#socket.off("drain", go);
        this.#socket.off("close", go);
        resolve();
      };
      this.#socket.once("drain", go);
      this.#socket.once("close", go);
    });
  }

  /** After what was sent. */
  end(): void {
    this.#isEnding = true;
    this.#socket.destroySoon();
  }

  abort(cause: unknown): void {
    this.#cause ??= cause;
    this.#socket.destroy();
  }

  async #deal(): Promise<void> {
    this.#busy = true;
    this.#socket.pause();
    try {
      for (let bytes = this.#received.take(); bytes !== undefined; bytes = this.#received.take()) {
        // Still read, so that the other side isn't stuck writing, but not dealt with.
        if (this.#isEnding) continue;
        if (this.#socket.destroyed) return;
        await this.#events.message(JSON.parse(bytes.toString("utf8")));
      }
      this.#socket.resume();
    } catch (cause) {
      this.abort(cause);
    } finally {
      this.#busy = false;
    }
  }
}
