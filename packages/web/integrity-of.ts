import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Returns the hash of a file for HTML and `fetch` (W3C Subresource Integrity). */
export function integrityOf(file: string): string {
  return `sha256-${createHash("sha256").update(readFileSync(file)).digest("base64")}`;
}
