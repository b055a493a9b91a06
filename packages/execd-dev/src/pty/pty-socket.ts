import { decodeOnly, GoJsonError, goInt, goString, goStruct } from "@countersign/sandbox";
import type { WebSocket } from "ws";
import { goEncode, type LocalLimits } from "../http/index.ts";
import { goErrno } from "../places/index.ts";
import type { PtyClient, PtySession } from "./pty-session.ts";
import type { Replay } from "./replay-buffer.ts";

/** The first byte of a binary message. Of a replay, 8 bytes follow with the offset of its first byte, counted from the terminal's first. */
const STDIN = 0x00;
const STDOUT = 0x01;
const STDERR = 0x02;
const REPLAY = 0x03;

const TAKEN_OVER = 4_001;
const PING_EVERY_MS = 30_000;
const SILENT_MS = 60_000;
const LOOK_AGAIN_MS = 10;

const clientFrame = goStruct({ type: goString, data: goString, cols: goInt, rows: goInt, signal: goString });
const SIGNALS = new Set(["SIGINT", "SIGTERM", "SIGKILL", "SIGQUIT", "SIGHUP"]);

/** One client of a terminal, from its first frame to its last. */
export class PtySocket implements PtyClient {
  readonly #socket: WebSocket;
  readonly #session: PtySession;
  readonly #limits: LocalLimits;
  #hasBegun = false;
  #heardAtMs = performance.now();

  constructor(socket: WebSocket, session: PtySession, limits: LocalLimits) {
    this.#socket = socket;
    this.#session = session;
    this.#limits = limits;
  }

  async serve(wish: { pipe: boolean; since: number }): Promise<void> {
    const socket = this.#socket;
    socket.on("error", () => socket.terminate());
    socket.once("close", () => this.#session.detach(this));
    const typed: [Buffer, boolean][] = [];
    const early = (data: Buffer, isBinary: boolean) => void typed.push([data, isBinary]);
    socket.on("message", early);
    try {
      await this.#session.attach(this, wish);
    } catch (cause) {
      this.#tell({ type: "error", error: goErrno(cause), code: "START_FAILED" });
      this.#session.detach(this);
      socket.close();
      return;
    }
    socket.off("message", early);
    if (!this.#hasBegun) return;
    for (const [data, isBinary] of typed) this.#take(data, isBinary);
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#take(data, isBinary));
    this.#keepAlive();
  }

  begin({ offset, bytes }: Replay): void {
    this.#hasBegun = true;
    if (bytes.length > 0) {
      const head = Buffer.alloc(9, REPLAY);
      head.writeBigInt64BE(BigInt(offset), 1);
      this.#socket.send(Buffer.concat([head, bytes]));
    }
    this.#tell({ type: "connected", session_id: this.#session.id, mode: this.#session.mode });
  }

  output(stream: "stdout" | "stderr", chunk: Buffer): void {
    // What came before is in the replay.
    if (this.#hasBegun) this.#send(stream === "stdout" ? STDOUT : STDERR, chunk);
  }

  async whenTaken(): Promise<void> {
    while (this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount > this.#limits.maxUnreadBytes) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  exited(exitCode: number): void {
    this.#tell({ type: "exit", exit_code: exitCode });
    this.#socket.close(1_000, "process exited");
  }

  takenOver(): void {
    this.#socket.close(TAKEN_OVER, "TAKEN_OVER");
  }

  #take(data: Buffer, isBinary: boolean): void {
    this.#heardAtMs = performance.now();
    if (!isBinary) return this.#takeText(data);
    if (data[0] === STDIN) this.#type(data.subarray(1));
  }

  #takeText(data: Buffer): void {
    const frame = readFrame(data);
    if (!frame) return;
    if (frame.type === "stdin") this.#type(Buffer.from(frame.data));
    else if (frame.type === "signal") {
      if (SIGNALS.has(frame.signal)) this.#session.signal(frame.signal as NodeJS.Signals);
    } else if (frame.type === "resize") {
      if (isSize(frame.cols) && isSize(frame.rows)) this.#session.resize({ columns: frame.cols, rows: frame.rows });
    } else if (frame.type === "ping") this.#tell({ type: "pong" });
    else
      this.#tell({ type: "error", error: `unknown frame type ${JSON.stringify(frame.type)}`, code: "INVALID_FRAME" });
  }

  #type(bytes: Buffer): void {
    if (this.#session.write(bytes)) return;
    this.#tell({ type: "error", error: "session not started, or it takes no more", code: "STDIN_WRITE_FAILED" });
    this.#socket.close();
  }

  #send(kind: number, chunk: Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(Buffer.concat([Buffer.from([kind]), chunk]));
  }

  #tell(frame: object): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(`${goEncode(frame)}\n`);
  }

  /** Who answers no ping is gone. */
  #keepAlive(): void {
    const socket = this.#socket;
    socket.on("pong", () => {
      this.#heardAtMs = performance.now();
    });
    const pings = setInterval(() => {
      if (performance.now() - this.#heardAtMs > SILENT_MS) socket.terminate();
      else socket.ping();
    }, PING_EVERY_MS);
    socket.once("close", () => clearInterval(pings));
  }
}

/** What can't be read is passed over. */
function readFrame(data: Buffer): ReturnType<typeof clientFrame.zero> | undefined {
  try {
    return decodeOnly(clientFrame, data);
  } catch (cause) {
    if (cause instanceof GoJsonError) return undefined;
    throw cause;
  }
}

function isSize(cells: number): boolean {
  return cells > 0 && cells <= 0xffff;
}
