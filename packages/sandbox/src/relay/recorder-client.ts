import { connect, type Socket } from "node:net";
import { Backoff } from "@countersign/protocol/wire";
import type { Log } from "../errors/index.ts";
import type { RelayLimits } from "./limits.ts";

/**
 * `unknown`: no answer came; it may be on record or not. Send it again under the same key. `cut-off`: the recorder closed the connection, having
 * been sent it. `left`: it wasn't sent, or the recorder was left because it was silent or made no sense.
 */
export type RecorderAnswer =
  | { readonly kind: "recorded" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "unknown"; readonly why: "cut-off" | "left" };

interface RecorderClientOptions {
  readonly path: string;
  readonly log: Log;
  readonly limits: RelayLimits;
  /** Called each time that frames can be sent again. */
  readonly onUp: () => void;
}

const HEADER_BYTES = 4;
const LONGEST_ANSWER = 64 * 1024;
const CUT_OFF: RecorderAnswer = { kind: "unknown", why: "cut-off" };
const LEFT: RecorderAnswer = { kind: "unknown", why: "left" };

/** One connection to the recorder's socket, kept and made anew. Frames are pipelined; answers come in their order. */
export class RecorderClient {
  readonly #options: RecorderClientOptions;
  readonly #backoff = new Backoff({ minMs: 50, maxMs: 2_000 });
  readonly #waiting: ((answer: RecorderAnswer) => void)[] = [];
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #isUp = false;
  #isLeft = false;
  #upSinceMs = 0;
  #isClosed = false;
  #silence: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #hasTold = false;

  constructor(options: RecorderClientOptions) {
    this.#options = options;
    this.#connect();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Frames that may still be sent without an answer to those before. */
  get room(): number {
    return this.#isUp ? this.#options.limits.recorderFramesWaiting - this.#waiting.length : 0;
  }

  /** Never rejects. */
  send(frame: Buffer): Promise<RecorderAnswer> {
    const socket = this.#socket;
    if (!this.#isUp || !socket) return Promise.resolve(LEFT);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(frame.length);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      socket.cork();
      socket.write(header);
      socket.write(frame);
      process.nextTick(() => socket.uncork());
      this.#silence ??= setTimeout(() => this.#leave("it doesn't answer"), this.#options.limits.recorderAnswerMs);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = connect(this.#options.path);
    this.#socket = socket;
    socket.on("connect", () => {
      this.#isUp = true;
      this.#hasTold = false;
      this.#upSinceMs = performance.now();
      this.#options.onUp();
    });
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (cause) => this.#tell(cause.message));
    // A recorder that ends says so before it closes: what was sent after that isn't read any more.
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#lost());
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#received.readUInt32BE(0);
      if (end > LONGEST_ANSWER) return this.#leave("its answer isn't one");
      if (this.#received.length < end) return;
      const answer = readAnswer(this.#received.subarray(HEADER_BYTES, end));
      this.#received = this.#received.subarray(end);
      const resolve = this.#waiting.shift();
      if (answer === undefined || resolve === undefined) return this.#leave("its answer isn't one");
      resolve(answer);
      clearTimeout(this.#silence);
      this.#silence =
        this.#waiting.length === 0
          ? undefined
          : setTimeout(() => this.#leave("it doesn't answer"), this.#options.limits.recorderAnswerMs);
    }
  }

  #leave(why: string): void {
    this.#tell(why);
    this.#isLeft = true;
    this.#socket?.destroy();
  }

  #tell(why: string): void {
    if (this.#hasTold || this.#isClosed) return;
    this.#hasTold = true;
    this.#options.log.warn({ recorder: this.#options.path, why }, "the recorder can't be reached; frames wait on disk");
  }

  #lost(): void {
    const upForMs = this.#isUp ? performance.now() - this.#upSinceMs : 0;
    this.#isUp = false;
    this.#received = Buffer.alloc(0);
    clearTimeout(this.#silence);
    this.#silence = undefined;
    const answer = this.#isLeft || this.#isClosed ? LEFT : CUT_OFF;
    this.#isLeft = false;
    for (const resolve of this.#waiting.splice(0)) resolve(answer);
    if (this.#isClosed) return;
    this.#again = setTimeout(() => this.#connect(), this.#backoff.nextMs(upForMs));
  }
}

function readAnswer(bytes: Buffer): RecorderAnswer | undefined {
  try {
    const answer = JSON.parse(bytes.toString()) as { seq?: unknown; error?: { code?: unknown; message?: unknown } };
    if (typeof answer.seq === "number") return { kind: "recorded" };
    const { code, message } = answer.error ?? {};
    return typeof code === "string" ? { kind: "refused", code, message: String(message) } : undefined;
  } catch {
    // No JSON: whoever answers isn't a recorder.
    return undefined;
  }
}
