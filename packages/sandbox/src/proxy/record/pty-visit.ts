import { decodeOnly, goAboutInt, goInt, goString, goStruct, PtyFrameReader, type PtyPiece } from "../../wire/index.ts";
import type { PtyRecord } from "./pty-record.ts";

/** All of its fields: where one of them is of another kind, execd takes nothing of it. */
const agentFrame = goStruct({ type: goString, data: goString, signal: goString, cols: goAboutInt, rows: goAboutInt });
const execdFrame = goStruct({ type: goString, mode: goString, role: goString, exit_code: goInt });

interface Ways {
  readonly record: PtyRecord;
  /** From where on the client wants the output, as far as that can be read. */
  readonly since: number | undefined;
  /** How far the output had come when the client asked: execd has at least that. */
  readonly asked: number;
  readonly onExit: (exitCode: number) => void;
}

/** One socket of a terminal, both of its directions. */
export class PtyVisit {
  readonly fromAgent = new PtyFrameReader((piece) => this.#typed(piece), { mustMask: true });
  readonly fromExecd = new PtyFrameReader((piece) => this.#putOut(piece), { mustMask: false });
  readonly #ways: Ways;
  /** The number of the next byte of output that this socket brings; not known before the first. */
  #at: number | undefined;
  /** One that only watches: execd turns away what it types. */
  #isViewer = false;
  #hasTyped = false;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** Only what is typed comes from here, whatever a message says that it is. */
  #typed(piece: PtyPiece): void {
    const { record } = this.#ways;
    if (piece.kind === "unread") record.isIncomplete = true;
    if (this.#isViewer) return;
    if (piece.kind === "stdin") this.#type(piece.bytes);
    const frame = piece.kind === "control" ? read(() => decodeOnly(agentFrame, piece.json)) : undefined;
    if (frame?.type === "stdin") this.#type(frame.data);
    if (frame?.type === "signal") record.lastSignal = frame.signal.slice(0, 32).toWellFormed();
  }

  #type(bytes: Buffer | string): void {
    this.#hasTyped = true;
    this.#ways.record.typed(bytes);
  }

  #putOut(piece: PtyPiece): void {
    const { record } = this.#ways;
    switch (piece.kind) {
      case "stdout":
      case "stderr": {
        const at = this.#at ?? this.#firstLive();
        this.#at = at + piece.bytes.length;
        return record.live(piece.kind, at, piece.bytes);
      }
      case "replay":
        this.#at = piece.offset + piece.bytes.length;
        return record.replayed(piece.offset, piece.bytes);
      case "control":
        return this.#heed(piece.json);
      default:
        record.isIncomplete = true;
    }
  }

  /**
   * Without a replay execd had put out no more than the client wanted to skip, and no less than had passed when the client asked. Only where the
   * two are one is it known which byte this is: a client may say what it likes.
   */
  #firstLive(): number {
    const { record, since, asked } = this.#ways;
    if (since === asked) return asked;
    record.isIncomplete = true;
    return record.position;
  }

  #heed(json: Buffer): void {
    const { record, onExit } = this.#ways;
    const frame = read(() => decodeOnly(execdFrame, json));
    if (frame?.type === "exit") onExit(frame.exit_code);
    if (frame?.type !== "connected") return;
    if (frame.mode === "pipe") record.isPipe = true;
    if (frame.role !== "viewer") return;
    this.#isViewer = true;
    // It was counted, and execd didn't take it.
    if (this.#hasTyped) record.isIncomplete = true;
  }
}

/** execd passes over what it can't read too. */
function read<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
