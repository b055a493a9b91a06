import { STATUS_CODES } from "node:http";

/** An error as execd words its own, for what never gets to it. */
export function errorAnswer(
  { status, code, message }: { readonly status: number; readonly code: string; readonly message: string },
  staysOpen = false,
): Buffer {
  const body = JSON.stringify({ code, message });
  return Buffer.from(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(staysOpen ? [] : ["Connection: close"]),
      "",
      body,
    ].join("\r\n"),
  );
}
