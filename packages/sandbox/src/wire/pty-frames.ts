import { type MessageSink, WebSocketReader } from "./websocket-frames.ts";

/** What passes over a terminal's socket. The first byte of a binary message says what the others are. */
export type PtyPiece =
  | { readonly kind: "stdin" | "stdout" | "stderr"; readonly bytes: Buffer }
  /** What was put out before this client came; the offset is that of the first of these bytes. */
  | { readonly kind: "replay"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "control"; readonly json: Buffer }
  /** A message that some extension has made unreadable, a control that is too long, or a frame that may not be: nothing is read after that. */
  | { readonly kind: "unread"; readonly bytes: Buffer };

const KINDS = ["stdin", "stdout", "stderr"] as const;
const REPLAY = 3;
const LONGEST_CONTROL = 256 * 1024;

/** One direction of it. */
export class PtyFrameReader {
  readonly #onPiece: (piece: PtyPiece) => void;
  readonly #reader: WebSocketReader;
  #isText = false;
  #isUnread = false;
  #type = -1;
  #head: Buffer[] = [];
  #headLength = 0;
  #offset = -1;

  constructor(onPiece: (piece: PtyPiece) => void, way: { readonly mustMask: boolean }) {
    this.#onPiece = onPiece;
    const sink: MessageSink = {
      begin: (kind, isCompressed) => {
        this.#isText = kind === "text";
        this.#isUnread = isCompressed;
        this.#type = -1;
        this.#offset = -1;
        this.#forget();
      },
      data: (bytes) => this.#take(bytes),
      end: () => {
        if (this.#isText && !this.#isUnread) this.#onPiece({ kind: "control", json: Buffer.concat(this.#head) });
        this.#forget();
      },
      broken: () => this.#onPiece({ kind: "unread", bytes: Buffer.alloc(0) }),
    };
    this.#reader = new WebSocketReader(sink, way);
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  #take(bytes: Buffer): void {
    if (this.#isUnread) this.#onPiece({ kind: "unread", bytes });
    else if (this.#isText) this.#hold(bytes);
    else if (this.#type === -1) {
      this.#type = bytes[0] as number;
      if (bytes.length > 1) this.#takeTyped(bytes.subarray(1));
    } else this.#takeTyped(bytes);
  }

  #takeTyped(bytes: Buffer): void {
    const kind = KINDS[this.#type];
    if (kind) return this.#onPiece({ kind, bytes });
    if (this.#type !== REPLAY) return this.#onPiece({ kind: "unread", bytes });
    if (this.#offset === -1) {
      this.#hold(bytes);
      if (this.#headLength < 8) return;
      const all = Buffer.concat(this.#head);
      this.#forget();
      this.#offset = Number(all.readBigUInt64BE(0));
      if (all.length > 8) this.#replay(all.subarray(8));
    } else this.#replay(bytes);
  }

  #replay(bytes: Buffer): void {
    this.#onPiece({ kind: "replay", offset: this.#offset, bytes });
    this.#offset += bytes.length;
  }

  #hold(bytes: Buffer): void {
    this.#headLength += bytes.length;
    if (this.#isText && this.#headLength > LONGEST_CONTROL) {
      this.#isUnread = true;
      this.#onPiece({ kind: "unread", bytes: Buffer.concat([...this.#head, bytes]) });
      this.#forget();
    } else this.#head.push(Buffer.from(bytes));
  }

  #forget(): void {
    this.#head = [];
    this.#headLength = 0;
  }
}
