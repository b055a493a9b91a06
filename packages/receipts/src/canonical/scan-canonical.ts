import { MAX_DEPTH } from "./canonicalize.ts";

/** A member of the outermost object: from the comma before it, or its key where it is the first, to the end of its value. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a member of the outermost object stands in well-formed text that is its own canonical form; null for text that isn't, and for
 * some that is: a member that is null, or a key with an escape in it, is left to slower ways. Reads every character and
 * makes nothing of them, which is what makes it worth having: half of verifying is otherwise spent on writing
 * the canonical form again in order to find it equal.
 */
export function findInCanonical(text: string, key: string): Extent | null {
  const scanner = new Scanner(text, key);
  return scanner.isCanonical() ? scanner.found : null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

class Scanner {
  found: Extent | null = null;
  readonly #text: string;
  readonly #wanted: string;
  #at = 0;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
  }

  isCanonical(): boolean {
    return this.#unit() === 0x7b && this.#object(0) && this.#at === this.#text.length;
  }

  #unit(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #value(depth: number): boolean {
    if (depth > MAX_DEPTH) return false;
    switch (this.#unit()) {
      case QUOTE:
        return this.#string();
      case 0x7b:
        return this.#object(depth);
      case 0x5b:
        return this.#array(depth);
      case 0x74:
        return this.#word("true");
      case 0x66:
        return this.#word("false");
      default:
        return this.#number();
    }
  }

  #object(depth: number): boolean {
    this.#at += 1;
    if (this.#take(0x7d)) return true;
    let last: string | null = null;
    do {
      const start = this.#at;
      const key = this.#key();
      // Order by UTF-16 units, and no key twice.
      if (key === null || (last !== null && key <= last) || !this.#take(COLON) || !this.#value(depth + 1)) return false;
      if (depth === 0 && key === this.#wanted) this.found = { start: last === null ? start : start - 1, end: this.#at };
      last = key;
    } while (this.#take(COMMA));
    return this.#take(0x7d);
  }

  #array(depth: number): boolean {
    this.#at += 1;
    if (this.#take(0x5d)) return true;
    do if (!this.#value(depth + 1)) return false;
    while (this.#take(COMMA));
    return this.#take(0x5d);
  }

  #key(): string | null {
    if (this.#unit() !== QUOTE) return null;
    const start = this.#at + 1;
    if (!this.#string()) return null;
    const key = this.#text.slice(start, this.#at - 1);
    return key.includes("\\") ? null : key;
  }

  #string(): boolean {
    const text = this.#text;
    for (let at = this.#at + 1; ; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (unit === BACKSLASH) {
        const length = escapeLength(text, at);
        if (length === 0) return false;
        at += length - 1;
      } else if (!(unit >= 0x20)) return false; // a control character, or NaN at the end
    }
  }

  #number(): boolean {
    NUMBER.lastIndex = this.#at;
    const literal = NUMBER.exec(this.#text)?.[0];
    if (literal === undefined || String(Number(literal)) !== literal) return false;
    this.#at += literal.length;
    return true;
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #take(unit: number): boolean {
    if (this.#unit() !== unit) return false;
    this.#at += 1;
    return true;
  }
}

const NUMBER = /-?[0-9][0-9.e+-]*/y;
const SHORT_ESCAPES = '"\\bfnrt';
/** The control characters that have no short escape, in lower case, and no other. */
const LONG_ESCAPE = /\\u00(?:0[0-7bef]|1[0-9a-f])/y;

/** 0: an escape that the canonical form doesn't have. */
function escapeLength(text: string, at: number): number {
  if (SHORT_ESCAPES.includes(text.charAt(at + 1) || "?")) return 2;
  LONG_ESCAPE.lastIndex = at;
  return LONG_ESCAPE.test(text) ? 6 : 0;
}
