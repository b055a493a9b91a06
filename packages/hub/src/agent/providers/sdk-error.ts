import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import { ModelError } from "../models/index.ts";

/** A failure before the answer began, and whether a retry may help. */
export interface Refusal {
  readonly error: ModelError;
  readonly mayRetry: boolean;
  /** When to retry, if the provider says so. */
  readonly afterMs?: number | undefined;
}

export function toRefusal(cause: unknown): Refusal {
  if (ourErrorIn(cause) || !APICallError.isInstance(cause)) return { error: toModelError(cause), mayRetry: false };
  const { statusCode, message, responseHeaders } = cause;
  if (statusCode === undefined) {
    const words = `The model's server can't be reached: ${detailOf(cause)}`;
    return { error: new ModelError("MODEL_UNREACHABLE", words, { cause }), mayRetry: true };
  }
  // Status 200, but the answer was malformed or cut off at once.
  if (statusCode < 400) return { error: toModelError(cause.cause), mayRetry: false };
  const said = `The model's server answered ${statusCode}: ${message}`;
  if (statusCode !== 429 && statusCode < 500) {
    return { error: new ModelError("MODEL_REFUSED", said, { cause }), mayRetry: false };
  }
  const code = statusCode === 429 ? "MODEL_RATE_LIMITED" : "MODEL_FAILED";
  return { error: new ModelError(code, said, { cause }), mayRetry: true, afterMs: waitIn(responseHeaders) };
}

/** Converts a failure in the middle of an answer. */
export function toModelError(cause: unknown): ModelError {
  const known = ourErrorIn(cause);
  if (known) return known;
  if (APICallError.isInstance(cause)) return toRefusal(cause).error;
  if (InvalidResponseDataError.isInstance(cause)) {
    return new ModelError("MODEL_CUT", "The model's answer broke off before its end.", { cause });
  }
  if (JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause)) {
    return badAnswer(cause);
  }
  // The SDK's message for an unexpected answer.
  if (cause instanceof Error && cause.message.startsWith("Expected a normalized")) return badAnswer(cause);
  // `fetch` reports a connection that ends early as a TypeError.
  if (cause instanceof TypeError) {
    return new ModelError("MODEL_CUT", `The connection to the model broke off: ${detailOf(cause)}`, { cause });
  }
  return new ModelError("MODEL_FAILED", `The model's server reports: ${detailOf(cause)}`, { cause });
}

function badAnswer(cause: unknown): ModelError {
  return new ModelError("MODEL_BAD_ANSWER", "The model's server sent what isn't an answer of a model.", { cause });
}

/** Finds our own error inside the SDK's. */
function ourErrorIn(cause: unknown): ModelError | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof ModelError) return error;
  return undefined;
}

function detailOf(cause: unknown): string {
  if (cause instanceof Error) {
    const inner = cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
    return `${cause.message}${inner}`;
  }
  const { message } = (cause ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : JSON.stringify(cause);
}

/** Reads `retry-after` (RFC 9110, 10.2.3: seconds or a date), or some providers' milliseconds. */
function waitIn(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const { "retry-after-ms": inMs, "retry-after": after } = headers;
  if (inMs !== undefined && Number(inMs) >= 0) return Number(inMs);
  if (after === undefined) return undefined;
  const waitMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
