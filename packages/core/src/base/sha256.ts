import { hash } from "node:crypto";

/** In one call: a hash object for each costs twice the hashing. */
export function sha256Hex(text: string | Uint8Array): string {
  return hash("sha256", text, "hex");
}
