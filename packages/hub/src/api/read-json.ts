import { HubError } from "@countersign/core/errors";
import { JsonError, parseJson } from "@countersign/receipts";

/**
 * Throws on bytes that aren't UTF-8 (replacing them would change the command that was sent into another), and on a key that occurs
 * twice (another reader could take the other of the two).
 */
export function readJson(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/** The refusal of text that `readJson` doesn't read. What is refused though other readers take it is named, with its place. */
export function notJson(what: string, cause: unknown): HubError {
  const isOurs = cause instanceof SyntaxError && cause.cause instanceof JsonError;
  const why = isOurs ? `: ${cause.message.replace(" in JSON", "")}` : "";
  return new HubError("INVALID_PARAMS", `${what} isn't valid JSON${why}`, { cause });
}
