/** Where a text isn't the JSON that it should be. */
export class JsonTextError extends Error {
  readonly line: number;

  constructor(what: string, text: string, at: number) {
    const line = text.slice(0, at).split("\n").length;
    super(`line ${line}: ${what}`);
    this.name = "JsonTextError";
    this.line = line;
  }
}

/** A value and where it stands, so that a file can be changed without writing the rest of it anew. */
export type JsonNode =
  | { readonly kind: "scalar"; readonly start: number; readonly end: number; readonly value: unknown }
  | JsonArray
  | JsonObject;

interface Span {
  readonly start: number;
  readonly end: number;
  /** Of the commas between its items. */
  readonly commas: readonly number[];
}

export interface JsonArray extends Span {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}

export interface JsonObject extends Span {
  readonly kind: "object";
  readonly members: readonly JsonMember[];
}

/** `start` is the key's, `end` the value's. */
export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

const MAX_DEPTH = 100;
const LITERAL = /(?:true|false|null|-?\d[\d.eE+-]*)/y;

/** Reads a whole text. Throws JsonTextError. A key that stands twice is refused: which of the two counts is the reader's choice. */
export function parseJson(text: string, { comments }: { readonly comments: boolean }): JsonNode {
  return new Reader(text, comments).whole();
}

class Reader {
  readonly #text: string;
  readonly #comments: boolean;
  #at = 0;
  #depth = 0;

  constructor(text: string, comments: boolean) {
    this.#text = text;
    this.#comments = comments;
    if (text.startsWith("\uFEFF")) this.#at = 1;
  }

  whole(): JsonNode {
    const node = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong("there's something after the end");
    return node;
  }

  #value(): JsonNode {
    this.#skip();
    const first = this.#text[this.#at];
    if (first === "{" || first === "[") return this.#nested(first);
    const start = this.#at;
    const found = first === '"' ? this.#string() : this.#take(LITERAL);
    if (found === undefined) throw this.#wrong(first === undefined ? "it ends too soon" : "no JSON value stands here");
    return { kind: "scalar", start, end: this.#at, value: this.#read(found, start) };
  }

  #nested(bracket: "{" | "["): JsonNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#wrong(`it is nested deeper than ${MAX_DEPTH}`);
    const node = bracket === "{" ? this.#object() : this.#array();
    this.#depth -= 1;
    return node;
  }

  #array(): JsonArray {
    const start = this.#at++;
    const items: JsonNode[] = [];
    const commas = this.#separated("]", () => items.push(this.#value()));
    return { kind: "array", start, end: this.#at, items, commas };
  }

  #object(): JsonObject {
    const start = this.#at++;
    const members = new Map<string, JsonMember>();
    const commas = this.#separated("}", () => {
      const member = this.#member();
      if (members.has(member.key)) throw this.#wrong(`the key ${JSON.stringify(member.key)} stands twice`);
      members.set(member.key, member);
    });
    return { kind: "object", start, end: this.#at, members: [...members.values()], commas };
  }

  #member(): JsonMember {
    this.#skip();
    const start = this.#at;
    const found = this.#string();
    if (found === undefined) throw this.#wrong("a key in quotes should stand here");
    const key = String(this.#read(found, start));
    this.#skip();
    if (this.#text[this.#at] !== ":") throw this.#wrong("a colon should stand here");
    this.#at += 1;
    const value = this.#value();
    return { key, start, end: value.end, value };
  }

  #separated(end: "]" | "}", item: () => void): number[] {
    const commas: number[] = [];
    this.#skip();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return commas;
    }
    for (;;) {
      item();
      this.#skip();
      const next = this.#text[this.#at];
      if (next === end) break;
      if (next !== ",") throw this.#wrong(`a comma or ${end} should stand here`);
      commas.push(this.#at++);
    }
    this.#at += 1;
    return commas;
  }

  #skip(): void {
    for (;;) {
      this.#take(/[ \t\r\n]*/y);
      const opens = this.#text.slice(this.#at, this.#at + 2);
      if (opens !== "//" && opens !== "/*") return;
      if (!this.#comments) throw this.#wrong("a comment stands here, which its reader doesn't take");
      const end = this.#text.indexOf(opens === "//" ? "\n" : "*/", this.#at + 2);
      if (end === -1 && opens === "/*") throw this.#wrong("a comment isn't closed");
      this.#at = end === -1 ? this.#text.length : end + (opens === "//" ? 1 : 2);
    }
  }

  /** Up to the quote that closes it; undefined where none opens. */
  #string(): string | undefined {
    const start = this.#at;
    if (this.#text[start] !== '"') return undefined;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = Math.min(end + 1, this.#text.length);
    return this.#text.slice(start, this.#at);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** What our patterns let through too widely, such as `01`, the platform's own reader refuses. */
  #read(found: string, start: number): unknown {
    try {
      return JSON.parse(found);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new JsonTextError("no JSON value stands here", this.#text, start);
    }
  }

  #wrong(what: string): JsonTextError {
    return new JsonTextError(what, this.#text, this.#at);
  }
}

/** The value alone. A key named `__proto__` is a key like any other. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.items.map(plainValue);
  const entries = node.members.map(({ key, value }) => [key, plainValue(value)] as const);
  return Object.fromEntries(entries);
}

export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.kind === "object" ? node.members.find((member) => member.key === key) : undefined;
}
