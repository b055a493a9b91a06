import type { IncomingMessage } from "node:http";
import { ExecdError } from "./execd-error.ts";

/** The whole body, which may not be larger. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

export function bodyTooLarge(maxBytes: number): ExecdError {
  return new ExecdError(413, "BODY_TOO_LARGE", `the body is larger than the ${maxBytes} bytes that this execd takes`);
}
