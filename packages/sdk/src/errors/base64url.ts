import { GatewayError } from "./gateway-error.ts";

/** RFC 4648 section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Throws INVALID_PARAMS unless it is the one text that `toBase64url` makes of some bytes: no padding, no spare bits. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1)
    throw new GatewayError("INVALID_PARAMS", "Not unpadded base64url");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
  if (toBase64url(bytes) !== text) throw new GatewayError("INVALID_PARAMS", "Not canonical base64url");
  return bytes;
}
