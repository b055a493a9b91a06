import { createHash } from "node:crypto";

/** SHA-256 of bytes that pass, written as in receipts. */
export class RunningHash {
  bytes = 0;
  readonly #hash = createHash("sha256");

  update(chunk: Uint8Array | string): void {
    this.bytes += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    this.#hash.update(chunk);
  }

  /** So far: more may follow. */
  text(): string {
    return `sha256:${this.#hash.copy().digest("hex")}`;
  }
}

export function sha256Text(bytes: Uint8Array | string): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
