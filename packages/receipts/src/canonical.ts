/** What RFC 8785 can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper nesting than any record of ours; keeps hostile input from exhausting the stack. */
const MAX_DEPTH = 64;

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
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new CanonicalError("TOO_DEEP", `nested deeper than ${MAX_DEPTH}`);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number") return writeNumber(value);
  if (Array.isArray(value)) return writeArray(value, depth);
  if (typeof value === "object" && isPlain(value)) return writeObject(value, depth);
  throw new CanonicalError("NOT_JSON", `${typeof value} has no canonical form`);
}

/** Array.from visits holes, which map and join would leave as empty text: `[,1]` is no JSON. */
function writeArray(value: readonly unknown[], depth: number): string {
  return `[${Array.from(value, (item) => write(item, depth + 1)).join(",")}]`;
}

function writeObject(value: object, depth: number): string {
  const members: string[] = [];
  // Array.prototype.sort without a comparator orders strings by UTF-16 code units, which is what RFC 8785 3.2.3 asks for.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${writeText(key)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

function writeText(text: string): string {
  if (!text.isWellFormed()) throw new CanonicalError("LONE_SURROGATE", "text holds a lone surrogate");
  return JSON.stringify(text);
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new CanonicalError("NOT_JSON", `${value} has no canonical form`);
  return JSON.stringify(value);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
