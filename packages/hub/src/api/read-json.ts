import { HubError } from "@countersign/core/errors";
import { JsonError, parseJson } from "@countersign/receipts";

/**
 * Parses JSON in UTF-8. Throws on invalid UTF-8, because replacing bytes would change a command, and on repeated keys,
 * because another reader could take the other value.
 */
export function readJson(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/** Returns the error for text that `readJson` rejects, with the place if other parsers would accept it. */
export function notJson(what: string, cause: unknown): HubError {
  const isOurs = cause instanceof SyntaxError && cause.cause instanceof JsonError;
  const why = isOurs ? `: ${cause.message.replace(" in JSON", "")}` : "";
  return new HubError("INVALID_PARAMS", `${what} isn't valid JSON${why}`, { cause });
}
