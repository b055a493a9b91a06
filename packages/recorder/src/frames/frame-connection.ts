import type { Socket } from "node:net";
import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import type { Peer } from "@countersign/native";
import { asksForAnswer, type Frame, readFrame } from "./frame.ts";
import { FrameBuffer, writeFrame } from "./frame-buffer.ts";
import { type FrameCode, FrameError } from "./frame-error.ts";
import type { Recorder } from "./recorder.ts";

const LONGEST_FRAME = 1024 * 1024;
/** How long an emitter may take to read its last answers. */
const LINGER_MS = 1_000;

/** One emitter's connection. What goes wrong on it is logged once for each code, counted each time, and nobody else's business. */
export class FrameConnection {
  readonly peer: Peer;
  readonly #socket: Socket;
  readonly #recorder: Recorder;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #received = new FrameBuffer(LONGEST_FRAME);
  readonly #logged = new Set<FrameCode>();
  /** Answers go out in the order in which frames came. */
  #answers: Promise<void> = Promise.resolve();
  /** The newest frame's end; those before it have come to theirs then, or soon will. */
  #settled: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #halfSince: Timer | undefined;
  #ended = false;

  constructor(
    socket: Socket,
    peer: Peer,
    {
      recorder,
      clock,
      limits,
      log,
    }: { readonly recorder: Recorder; readonly clock: Clock; readonly limits: Limits; readonly log: Log },
  ) {
    this.peer = peer;
    this.#socket = socket;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    socket.on("error", (cause) => log.info({ err: cause, uid: peer.uid }, "an emitter's connection broke"));
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => this.#takeEnd());
    socket.on("close", () => this.#halfSince?.cancel());
  }

  /** Reads nothing more, and closes when what came is on record and answered. */
  async finish(): Promise<void> {
    if (this.#ended) return await this.#answers;
    this.#ended = true;
    this.#halfSince?.cancel();
    // What still comes is read and dropped, so that an emitter isn't stuck writing while it could read its answers.
    this.#socket.resume();
    await Promise.race([this.#answers, this.#lingering()]);
    this.#socket.destroySoon();
  }

  /** Counted from when all is on record: only reading the answers is left. */
  async #lingering(): Promise<void> {
    await this.#settled;
    await new Promise((resolve) => setTimeout(resolve, LINGER_MS).unref());
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#ended) return;
    this.#received.push(chunk);
    try {
      for (let bytes = this.#received.take(); bytes !== undefined; bytes = this.#received.take()) {
        this.#halfSince?.cancel();
        this.#halfSince = undefined;
        this.#handle(bytes);
        if (this.#ended) return;
      }
    } catch (cause) {
      return this.#giveUp(cause);
    }
    // From the first byte on, so that one byte now and then doesn't keep it open.
    if (this.#received.isHalf) {
      this.#halfSince ??= this.#clock.after(this.#limits.emitterFrameMs, () =>
        this.#giveUp(new FrameError("HALF_FRAME", "A frame has begun and doesn't end")),
      );
    }
    if (this.#waiting >= this.#limits.emitterFramesWaiting) this.#socket.pause();
  }

  #takeEnd(): void {
    if (this.#ended) return;
    if (this.#received.isHalf) return this.#giveUp(new FrameError("HALF_FRAME", "The connection ended within a frame"));
    void this.finish();
  }

  #handle(bytes: Buffer): void {
    let frame: Frame;
    try {
      frame = readFrame(bytes);
    } catch (cause) {
      const asked = asksForAnswer(bytes);
      this.#queue(Promise.reject(cause), asked);
      const code = cause instanceof FrameError ? cause.code : undefined;
      if (code === "BAD_JSON" || code === "INVALID_UTF8") void this.finish();
      return;
    }
    this.#queue(this.#recorder.record(frame, this.peer, bytes.length), frame.ack === true);
  }

  #queue(recorded: ReturnType<Recorder["record"]>, asked: boolean): void {
    this.#waiting += 1;
    const settled = recorded.then(
      ({ kind, seq, hash }) => {
        this.#recorder.count(kind);
        return { seq, receipt_hash: hash };
      },
      (cause: unknown) => ({ error: this.#tell(cause) }),
    );
    this.#settled = settled;
    this.#answers = this.#answers.then(async () => {
      const answer = await settled;
      this.#waiting -= 1;
      if (asked) await this.#send(answer);
      if (this.#waiting < this.#limits.emitterFramesWaiting && !this.#ended) this.#socket.resume();
    });
  }

  /** An emitter that doesn't read its answers is waited for, and then its frames aren't read either. */
  async #send(answer: object): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(writeFrame(answer))) return;
    await new Promise<void>((resolve) => {
      this.#socket.once("drain", resolve);
      this.#socket.once("close", resolve);
    });
  }

  /** One line and one count. */
  #tell(cause: unknown): { readonly code: FrameCode; readonly message: string } {
    const error = cause instanceof FrameError ? cause : new FrameError("NOT_RECORDED", "Something unforeseen happened");
    this.#recorder.count(error.code);
    const { uid, pid } = this.peer;
    if (!this.#logged.has(error.code)) {
      const fields = { code: error.code, uid, pid, ...(error.code === "NOT_RECORDED" ? { err: cause } : {}) };
      this.#log.warn(fields, `a frame wasn't recorded: ${error.message}`);
    }
    this.#logged.add(error.code);
    return { code: error.code, message: error.message };
  }

  #giveUp(cause: unknown): void {
    this.#tell(cause);
    void this.finish();
  }
}
