import { toHex, utf8Bytes } from "./bytes.ts";
import { KeyCache } from "./key-cache.ts";
import { PUBLIC_KEY_BYTES, type ReceiptCrypto, SIGNATURE_BYTES, type SignatureCheck, type Signer } from "./port.ts";
import { sha256 } from "./sha256.ts";

const ED25519 = { name: "Ed25519" } as const;
type Subtle = typeof globalThis.crypto.subtle;
type Key = Awaited<ReturnType<Subtle["importKey"]>>;

/** For browsers, and wherever else SubtleCrypto knows Ed25519. */
export function webCrypto(subtle: Subtle = globalThis.crypto.subtle): ReceiptCrypto {
  const keys = new KeyCache<Promise<Key | null>>((raw) =>
    subtle.importKey("raw", plain(raw), ED25519, false, ["verify"]).catch(refusedKey),
  );
  return {
    sha256,
    sha256Hex: (bytes) => toHex(sha256(typeof bytes === "string" ? utf8Bytes(bytes) : bytes)),
    verify: (check) => verify(subtle, keys, check),
  };
}

async function verify(subtle: Subtle, keys: KeyCache<Promise<Key | null>>, check: SignatureCheck): Promise<boolean> {
  if (check.publicKey.length !== PUBLIC_KEY_BYTES || check.signature.length !== SIGNATURE_BYTES) return false;
  const key = await keys.get(check.publicKey);
  return key !== null && (await subtle.verify(ED25519, key, plain(check.signature), plain(check.message)));
}

/** A device's own key, with which it cosigns checkpoints; the private half need not be extractable. */
export async function webSigner(pair: { privateKey: Key; publicKey: Key }): Promise<Signer> {
  const subtle = globalThis.crypto.subtle;
  const publicKey = new Uint8Array(await subtle.exportKey("raw", pair.publicKey));
  return {
    publicKey,
    sign: async (message) => new Uint8Array(await subtle.sign(ED25519, pair.privateKey, plain(message))),
  };
}

/** 32 bytes that are no point of the curve verify nothing; any other failure isn't the key's. */
function refusedKey(error: unknown): null {
  if (error instanceof DOMException && error.name === "DataError") return null;
  throw error;
}

/** SubtleCrypto takes no view of a shared buffer. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}
