import { readFileSync, statSync } from "node:fs";
import { type Json, JsonError, readJson } from "@countersign/receipts";
import { unreadable } from "../sources/index.ts";

const MAX_RESPONSES_BYTES = 256 * 1024 * 1024;

/** What was answered, by the receipt's id. */
export class Responses {
  readonly #given: ReadonlyMap<string, Json>;
  readonly #unused: Set<string>;

  /** A line each: `{"id":"urn:receipt:…","response":…}`. Whatever could be read in two ways is refused: one of them would go unchecked. */
  constructor(path: string) {
    const given = new Map<string, Json>();
    for (const [at, line] of readText(path).split("\n").entries()) {
      if (line.trim() === "") continue;
      const { id, response } = responseIn(line, `Line ${at + 1} of ${path}`);
      if (given.has(id)) throw unreadable(`${path} has two responses to ${id}.`);
      given.set(id, response);
    }
    this.#given = given;
    this.#unused = new Set(given.keys());
  }

  /** To a receipt that has a hash of it. */
  readonly to = (receiptId: string): Json | undefined => {
    this.#unused.delete(receiptId);
    return this.#given.get(receiptId);
  };

  /** Those that no receipt has asked for: they were held against nothing. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }
}

function responseIn(line: string, where: string): { readonly id: string; readonly response: Json } {
  const { id, response } = objectIn(line, where) as Readonly<Record<string, Json | undefined>>;
  if (typeof id !== "string" || response === undefined)
    throw unreadable(`${where} isn't {"id": "urn:receipt:…", "response": …}.`);
  return { id, response };
}

function objectIn(line: string, where: string): object {
  try {
    const value = readJson(line);
    return typeof value === "object" && value !== null ? value : {};
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw unreadable(`${where} isn't JSON that is read in one way only (${cause.message}).`, cause);
  }
}

function readText(path: string): string {
  try {
    const about = statSync(path);
    if (!about.isFile()) throw unreadable(`${path} isn't a file.`);
    if (about.size > MAX_RESPONSES_BYTES) throw unreadable(`${path} is larger than ${MAX_RESPONSES_BYTES} bytes.`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof TypeError) throw unreadable(`${path} isn't UTF-8.`, cause);
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw unreadable(`The responses in ${path} can't be read (${cause.message}).`, cause);
  }
}
