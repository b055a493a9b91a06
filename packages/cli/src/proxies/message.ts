/** What a message of JSON-RPC 2.0 may have; nothing of it is checked but that it is an object. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
/** Of the range that is left to implementations; what the official SDK says when a connection closes. */
export const CONNECTION_CLOSED = -32_000;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `1` and `"1"` are two ids. Undefined for what isn't one. */
export function idKey(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : undefined;
}

/**
 * Whether some reader would take another key for one of these: Go's reads keys without regard to case, with the letters that
 * Unicode folds to ours, and lets the last one win.
 */
export function hasTwinOf(names: readonly string[], object: object): boolean {
  return Object.keys(object).some((key) => {
    const folded = key.toLowerCase().replaceAll("\u017f", "s").replaceAll("\u212a", "k");
    return names.includes(folded) && key !== folded;
  });
}

export function errorResponse(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } });
}

/** A tool's failure is a result, so that the model reads why. */
export function errorResult(id: unknown, text: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } });
}
