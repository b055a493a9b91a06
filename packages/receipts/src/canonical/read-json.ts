import { type Json, MAX_DEPTH } from "./canonicalize.ts";
import { isExactNumber } from "./exact-number.ts";

/** Why text isn't taken for JSON. Readers that differ on any of these could be shown two different receipts. */
export type JsonFault =
  | "BAD_JSON" // not RFC 8259
  | "INVALID_UTF8" // bytes that no character has
  | "DUPLICATE_KEY" // one reader takes the first, another the last
  | "LONE_SURROGATE" // no UTF-8, so no bytes to sign
  | "NUMBER_RANGE" // outside I-JSON (RFC 7493 2.2): a double can't hold it as it is written
  | "TOO_DEEP"; // nested past MAX_DEPTH

export class JsonError extends Error {
  readonly code: JsonFault;
  /** UTF-16 units into the text; -1 where it isn't text. */
  readonly offset: number;
  constructor(code: JsonFault, offset: number) {
    super(`${code} at ${offset}`);
    this.name = "JsonError";
    this.code = code;
    this.offset = offset;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A byte order mark stays in the text, where no JSON begins with it. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) throw new JsonError("INVALID_UTF8", -1);
    throw cause;
  }
}

/** The value of JSON text, or a JsonError: stricter than JSON.parse by everything that JsonFault lists. */
export function readJson(text: string): Json {
  return new Reader(text, SIGNED).whole();
}

/**
 * JSON.parse for text from outside that isn't signed: refuses a repeated key, of which one reader takes the first and another the
 * last, and nesting past MAX_OUTSIDE_DEPTH. Throws SyntaxError with a position, and never quotes the text of a key.
 */
export function parseJson(text: string): unknown {
  try {
    return new Reader(text, OUTSIDE).whole();
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    // Its own words, which say what is wrong.
    if (cause.code === "BAD_JSON") JSON.parse(text);
    throw new SyntaxError(`${OUTSIDE_FAULTS[cause.code] ?? cause.code} in JSON ${positionOf(text, cause.offset)}`, {
      cause,
    });
  }
}

function positionOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `at position ${offset} (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

/** Far deeper than any message of ours; keeps hostile input from exhausting the stack. */
const MAX_OUTSIDE_DEPTH = 512;
const OUTSIDE_FAULTS: Readonly<Partial<Record<JsonFault, string>>> = {
  DUPLICATE_KEY: "A key that occurs twice",
  TOO_DEEP: `More than ${MAX_OUTSIDE_DEPTH} levels`,
};

interface Strictness {
  readonly maxDepth: number;
  /** Also refuses text and numbers that have no canonical form. */
  readonly isSigned: boolean;
}
const SIGNED: Strictness = { maxDepth: MAX_DEPTH, isSigned: true };
const OUTSIDE: Strictness = { maxDepth: MAX_OUTSIDE_DEPTH, isSigned: false };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** To the end of a string, or to its first escape, control character or surrogate. */
const PLAIN_TEXT = /[^"\\\u0000-\u001f\ud800-\udfff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Reader {
  readonly #text: string;
  readonly #strictness: Strictness;
  #at = 0;

  constructor(text: string, strictness: Strictness) {
    this.#text = text;
    this.#strictness = strictness;
  }

  whole(): Json {
    const value = this.#value(0);
    if (!Number.isNaN(this.#next())) this.#fail("BAD_JSON");
    return value;
  }

  #value(depth: number): Json {
    if (depth > this.#strictness.maxDepth) this.#fail("TOO_DEEP");
    switch (this.#next()) {
      case 0x7b:
        return this.#object(depth);
      case 0x5b:
        return this.#array(depth);
      case QUOTE:
        return this.#string();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): Json {
    // `__proto__` is a key like any other, so it is defined where assigning would change the prototype.
    const members: Record<string, Json> = {};
    this.#at += 1;
    if (this.#take(0x7d)) return members;
    do {
      if (this.#next() !== QUOTE) this.#fail("BAD_JSON");
      const keyAt = this.#at;
      const key = this.#string();
      if (Object.hasOwn(members, key)) this.#fail("DUPLICATE_KEY", keyAt);
      if (!this.#take(0x3a)) this.#fail("BAD_JSON");
      const value = this.#value(depth + 1);
      if (key === "__proto__") Object.defineProperty(members, key, { value, ...OWN });
      else members[key] = value;
    } while (this.#take(0x2c));
    if (!this.#take(0x7d)) this.#fail("BAD_JSON");
    return members;
  }

  #array(depth: number): Json {
    const items: Json[] = [];
    this.#at += 1;
    if (this.#take(0x5d)) return items;
    do items.push(this.#value(depth + 1));
    while (this.#take(0x2c));
    if (!this.#take(0x5d)) this.#fail("BAD_JSON");
    return items;
  }

  /** What is escaped is left to JSON.parse once its extent and its escapes are known to be sound. */
  #string(): string {
    const start = this.#at;
    this.#at += 1;
    this.#skip(PLAIN_TEXT);
    if (this.#text.charCodeAt(this.#at) === QUOTE) {
      this.#at += 1;
      return this.#text.slice(start + 1, this.#at - 1);
    }
    while (this.#text.charCodeAt(this.#at) !== QUOTE) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === BACKSLASH) this.#skip(ESCAPE);
      else if (unit >= 0xd800 && unit <= 0xdfff) this.#at += 1;
      else this.#fail("BAD_JSON");
      this.#skip(PLAIN_TEXT);
    }
    this.#at += 1;
    const text: string = JSON.parse(this.#text.slice(start, this.#at));
    if (this.#strictness.isSigned && !text.isWellFormed()) this.#fail("LONE_SURROGATE", start);
    return text;
  }

  #number(): number {
    const start = this.#at;
    this.#skip(NUMBER);
    const literal = this.#text.slice(start, this.#at);
    const value = Number(literal);
    if (this.#strictness.isSigned && !isExactNumber(literal, value)) this.#fail("NUMBER_RANGE", start);
    return value;
  }

  #word<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("BAD_JSON");
    this.#at += word.length;
    return value;
  }

  /** Past white space; NaN at the end. */
  #next(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
      this.#at += 1;
    }
  }

  #take(unit: number): boolean {
    if (this.#next() !== unit) return false;
    this.#at += 1;
    return true;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) this.#fail("BAD_JSON");
    this.#at = pattern.lastIndex;
  }

  #fail(code: JsonFault, at = this.#at): never {
    throw new JsonError(code, at);
  }
}

const OWN = { writable: true, enumerable: true, configurable: true } as const;
