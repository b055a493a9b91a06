import { readFileSync, statSync } from "node:fs";
import { unreadable } from "./unreadable.ts";

const MAX_RESPONSES_BYTES = 256 * 1024 * 1024;

/** What was answered, by the receipt's id. A line each: `{"id":"urn:receipt:…","response":…}`. */
export function readResponses(path: string): (receiptId: string) => unknown {
  const lines = readText(path).split("\n");
  const found = new Map<string, unknown>();
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const { id, response } = responseIn(line) ?? {};
    if (typeof id !== "string" || response === undefined)
      throw unreadable(`Line ${at + 1} of ${path} isn't {"id": "urn:receipt:…", "response": …}.`);
    // Whichever of two was meant, the other would go unchecked.
    if (found.has(id)) throw unreadable(`${path} has two responses to ${id}.`);
    found.set(id, response);
  }
  return (receiptId) => found.get(receiptId);
}

function responseIn(line: string): { readonly id?: unknown; readonly response?: unknown } | null {
  try {
    return JSON.parse(line);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_RESPONSES_BYTES)
      throw unreadable(`${path} is larger than ${MAX_RESPONSES_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw unreadable(`The responses in ${path} can't be read (${cause.message}).`, cause);
  }
}
