import { fromBase64, toBase64 } from "./base64.ts";
import { concatBytes, equalBytes } from "./bytes.ts";
import { PUBLIC_KEY_BYTES } from "./port.ts";

/**
 * RFC 8410: SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING, no unused bits, 32 bytes }. There is one DER form of an
 * Ed25519 key, so the prefix is a constant and nothing needs parsing.
 */
const SPKI_PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

export function spkiOf(publicKey: Uint8Array): Uint8Array {
  return concatBytes(SPKI_PREFIX, publicKey);
}

export function publicKeyToPem(publicKey: Uint8Array): string {
  return `-----BEGIN PUBLIC KEY-----\n${toBase64(spkiOf(publicKey))}\n-----END PUBLIC KEY-----\n`;
}

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END PUBLIC KEY-----\s*$/;

/** The 32 bytes of an SPKI PEM; null when it isn't an Ed25519 public key. */
export function publicKeyFromPem(pem: string): Uint8Array | null {
  const body = PEM.exec(pem)?.[1];
  const der = body === undefined ? null : fromBase64(body.replace(/\s+/g, ""));
  if (der?.length !== SPKI_PREFIX.length + PUBLIC_KEY_BYTES) return null;
  if (!equalBytes(der.subarray(0, SPKI_PREFIX.length), SPKI_PREFIX)) return null;
  return der.slice(SPKI_PREFIX.length);
}
