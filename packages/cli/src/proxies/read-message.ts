import { isExactNumber, parseJson } from "@countersign/receipts";

/** A JSON-RPC message, or several in a batch. Everything about it is the sender's word. */
export interface Incoming {
  readonly value: unknown;
  /** The same with its numbers as they were written; to be passed on with `lineOf`. */
  readonly exact: unknown;
  /** Holds a number that a double can't hold: it would be shown and judged as another one. */
  readonly inexact: boolean;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a line strictly: one in which a key occurs twice is no message. What is passed on is written anew from what was read: a reader
 * that takes a carriage return for a line's end would else act on something that nobody here has seen.
 */
export function readMessage(line: Uint8Array): Incoming | undefined {
  try {
    const given = decoder.decode(line);
    const value: unknown = parseJson(given);
    const plain = JSON.stringify(value);
    if (plain === given) return { value, exact: value, inexact: false };
    const numbers = { inexact: false };
    const exact: unknown = JSON.parse(given, keepNumbers(numbers));
    return { value, exact, inexact: numbers.inexact };
  } catch (cause) {
    // RangeError: nested deeper than can be written anew.
    if (cause instanceof SyntaxError || cause instanceof TypeError || cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** One line, however the reader divides lines: some do so at the line ends of Unicode, too. */
export function lineOf(exact: unknown): string {
  return JSON.stringify(exact).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** https://tc39.es/proposal-json-parse-with-source/, which Node has and TypeScript doesn't know yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

function keepNumbers(found: { inexact: boolean }): (key: string, value: unknown) => unknown {
  const reviver: Reviver = (_, value, { source }) => {
    if (typeof value !== "number" || source === undefined || source === String(value)) return value;
    if (!isExactNumber(source, value)) found.inexact = true;
    return rawJSON(source);
  };
  return reviver as (key: string, value: unknown) => unknown;
}
