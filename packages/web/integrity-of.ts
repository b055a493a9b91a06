import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** As HTML and `fetch` take it (W3C Subresource Integrity). */
export function integrityOf(file: string): string {
  return `sha256-${createHash("sha256").update(readFileSync(file)).digest("base64")}`;
}
