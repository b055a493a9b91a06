import { goText } from "./go-text.ts";

/** JSON as Go's encoding/json takes it in: members in their order, the same key as often as it came. */
export type GoNode =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly items: readonly GoNode[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: GoNode])[] };

/**
 * EMPTY: nothing but white space, which execd takes for defaults where a body is optional. CUT: it ends inside the value. SYNTAX: no JSON.
 * TOO_DEEP: more than Go nests. MISMATCH: JSON, but not what the field takes. All but EMPTY are refused by execd with 400.
 */
export class GoJsonError extends Error {
  readonly code: "EMPTY" | "CUT" | "SYNTAX" | "TOO_DEEP" | "MISMATCH";
  constructor(code: GoJsonError["code"], message: string) {
    super(message);
    this.name = "GoJsonError";
    this.code = code;
  }
}

/** `maxNestingDepth` of encoding/json. */
const MAX_DEPTH = 10_000;

/** As `json.NewDecoder(body).Decode`: the first value, whatever follows it. That is how execd reads every body. */
export function readFirstValue(bytes: Uint8Array): { readonly node: GoNode; readonly end: number } {
  const scanner = new Scanner(bytes);
  const node = scanner.value();
  return { node, end: scanner.at };
}

/** As `json.Unmarshal`: one value and nothing else. That is how execd reads an upload's metadata and a terminal's text frames. */
export function readOnlyValue(bytes: Uint8Array): GoNode {
  const { node, end } = readFirstValue(bytes);
  for (let at = end; at < bytes.length; at++) {
    if (!isSpace(bytes[at] as number)) throw new GoJsonError("SYNTAX", `something follows the value at ${at}`);
  }
  return node;
}

type Open =
  | { readonly kind: "array"; readonly items: GoNode[] }
  | { readonly kind: "object"; readonly members: [string, GoNode][]; key: string };

const NULL: GoNode = { kind: "null" };
const LITERALS: readonly (readonly [word: string, node: GoNode])[] = [
  ["null", NULL],
  ["true", { kind: "bool", value: true }],
  ["false", { kind: "bool", value: false }],
];

/** Walks with a stack of its own: 10,000 levels are more than ours has. */
class Scanner {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(): GoNode {
    this.#skipSpace();
    if (this.at >= this.#bytes.length) throw new GoJsonError("EMPTY", "there is no value");
    const stack: Open[] = [];
    for (;;) {
      let done = this.#open(stack);
      // What was completed goes into what is open around it, which may complete that too.
      while (done) {
        const around = stack.at(-1);
        if (!around) return done;
        if (around.kind === "array") around.items.push(done);
        else around.members.push([around.key, done]);
        done = this.#goOn(around) ? null : (stack.pop() as GoNode);
      }
    }
  }

  /** A value that is complete, or null where an array or an object has begun and its first element is next. */
  #open(stack: Open[]): GoNode | null {
    this.#skipSpace();
    const byte = this.#peek();
    if (byte === 0x5b || byte === 0x7b) {
      this.at++;
      if (stack.length >= MAX_DEPTH) throw new GoJsonError("TOO_DEEP", `nested deeper than ${MAX_DEPTH}`);
      this.#skipSpace();
      const opened: Open = byte === 0x5b ? { kind: "array", items: [] } : { kind: "object", members: [], key: "" };
      if (this.#peek() === (byte === 0x5b ? 0x5d : 0x7d)) {
        this.at++;
        return opened;
      }
      if (opened.kind === "object") opened.key = this.#key();
      stack.push(opened);
      return null;
    }
    if (byte === 0x22) return { kind: "string", value: this.#string() };
    if (byte === 0x2d || isDigit(byte)) return { kind: "number", text: this.#number() };
    return this.#literal();
  }

  /** After an element: whether another follows. */
  #goOn(open: Open): boolean {
    this.#skipSpace();
    const byte = this.#peek();
    this.at++;
    if (byte === 0x2c) {
      if (open.kind === "object") {
        this.#skipSpace();
        open.key = this.#key();
      }
      return true;
    }
    if (byte === (open.kind === "array" ? 0x5d : 0x7d)) return false;
    return this.#fail(this.at - 1);
  }

  #key(): string {
    if (this.#peek() !== 0x22) this.#fail(this.at);
    const key = this.#string();
    this.#skipSpace();
    if (this.#peek() !== 0x3a) this.#fail(this.at);
    this.at++;
    return key;
  }

  #string(): string {
    const start = ++this.at;
    for (;;) {
      const byte = this.#peek();
      if (byte === 0x22) break;
      if (byte < 0x20) this.#fail(this.at);
      if (byte === 0x5c) this.#escape();
      else this.at++;
    }
    return goText(this.#bytes.subarray(start, this.at++));
  }

  #escape(): void {
    this.at++;
    const byte = this.#peek();
    if (byte === 0x75) {
      for (let digit = 0; digit < 4; digit++) {
        this.at++;
        if (!isHex(this.#peek())) this.#fail(this.at);
      }
    } else if (!'"\\/bfnrt'.includes(String.fromCharCode(byte))) this.#fail(this.at);
    this.at++;
  }

  #number(): string {
    const start = this.at;
    if (this.#peek() === 0x2d) this.at++;
    if (this.#peek() === 0x30) this.at++;
    else this.#digits();
    if (this.#bytes[this.at] === 0x2e) {
      this.at++;
      this.#digits();
    }
    if (this.#bytes[this.at] === 0x65 || this.#bytes[this.at] === 0x45) {
      this.at++;
      const sign = this.#peek();
      if (sign === 0x2b || sign === 0x2d) this.at++;
      this.#digits();
    }
    return this.#bytes.toString("latin1", start, this.at);
  }

  #digits(): void {
    if (!isDigit(this.#peek())) this.#fail(this.at);
    while (isDigit(this.#bytes[this.at] ?? 0)) this.at++;
  }

  #literal(): GoNode {
    for (const [word, node] of LITERALS) {
      const text = this.#bytes.toString("latin1", this.at, this.at + word.length);
      if (text === word) {
        this.at += word.length;
        return node;
      }
      if (text !== "" && word.startsWith(text)) throw new GoJsonError("CUT", "it ends inside a word");
    }
    return this.#fail(this.at);
  }

  #skipSpace(): void {
    while (this.at < this.#bytes.length && isSpace(this.#bytes[this.at] as number)) this.at++;
  }

  #peek(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new GoJsonError("CUT", "it ends inside the value");
    return byte;
  }

  #fail(at: number): never {
    throw new GoJsonError("SYNTAX", `not JSON at ${at}`);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
