/** What RFC 8785 can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper nesting than any record of ours; keeps hostile input from exhausting the stack. */
export const MAX_DEPTH = 64;

export class CanonicalError extends Error {
  /** NOT_JSON: a value that JSON can't carry. LONE_SURROGATE: text that isn't Unicode. TOO_DEEP: nested past the limit. */
  readonly code: "NOT_JSON" | "LONE_SURROGATE" | "TOO_DEEP";
  constructor(code: CanonicalError["code"], message: string) {
    super(message);
    this.name = "CanonicalError";
    this.code = code;
  }
}

/**
 * RFC 8785 text of a value: keys in UTF-16 order, ECMAScript numbers, no white space. Keys whose value is `undefined`
 * are left out, as JSON.stringify does; everything else that JSON can't carry is refused instead of being changed.
 */
export function canonicalize(value: unknown): string {
  return write(value, 0, KEEP_NULLS);
}

/** Which members with the value null are written: all, or none but those under the one name. */
export interface NullRule {
  readonly keepAll: boolean;
  readonly except: string;
}

const KEEP_NULLS: NullRule = { keepAll: true, except: "" };

/** The canonical text of one value inside a larger one, `depth` levels down. */
export function write(value: unknown, depth: number, nulls: NullRule): string {
  if (depth > MAX_DEPTH) throw new CanonicalError("TOO_DEEP", `nested deeper than ${MAX_DEPTH}`);
  switch (typeof value) {
    case "string":
      return writeText(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return writeArray(value, depth, nulls);
      if (isPlain(value)) return writeObject(value, depth, nulls);
      break;
  }
  throw new CanonicalError("NOT_JSON", `${typeof value} has no canonical form`);
}

/** Counting visits holes, which map and join would leave as empty text: `[,1]` is no JSON. */
function writeArray(value: readonly unknown[], depth: number, nulls: NullRule): string {
  let text = "";
  for (let index = 0; index < value.length; index += 1) {
    text += `${index === 0 ? "[" : ","}${write(value[index], depth + 1, nulls)}`;
  }
  return text === "" ? "[]" : `${text}]`;
}

function writeObject(value: object, depth: number, nulls: NullRule): string {
  let text = "";
  for (const key of sortedKeys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined || (member === null && !nulls.keepAll && key !== nulls.except)) continue;
    text += `${text === "" ? "{" : ","}${writeText(key)}:${write(member, depth + 1, nulls)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** By UTF-16 code units, as RFC 8785 3.2.3 asks: what comparing strings does. Most objects are small or sorted already. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index += 1) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort();
  }
  return keys;
}

/** What JSON.stringify would change, and surrogates, of which a lone one has no form. */
const SPECIAL = /[\u0000-\u001f"\\\ud800-\udfff]/;

export function writeText(text: string): string {
  return `"${writeLetters(text)}"`;
}

/** What stands between the quotes. */
export function writeLetters(text: string): string {
  if (!SPECIAL.test(text)) return text;
  if (!text.isWellFormed()) throw new CanonicalError("LONE_SURROGATE", "text holds a lone surrogate");
  return JSON.stringify(text).slice(1, -1);
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new CanonicalError("NOT_JSON", `${value} has no canonical form`);
  // ECMAScript's own text, which RFC 8785 3.2.2.3 takes over; -0 is "0".
  return String(value);
}

export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
