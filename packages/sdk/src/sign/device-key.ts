import { fromBase64url, GatewayError, toBase64url } from "../errors/index.ts";

/** WebCrypto's `CryptoKey`, by the name that both the DOM's and Node's types know. */
export type SigningKey = InstanceType<typeof CryptoKey>;

/** An approver's device: what signs, and what the hub is told of it. */
export interface DeviceKey {
  readonly privateKey: SigningKey;
  /** base64url of the 32 raw bytes (RFC 8032). */
  readonly publicKey: string;
  readonly keyId: string;
}

const RAW_KEY_BYTES = 32;

/** Not extractable unless asked: then a page's scripts can use the key, but not carry it away. */
export async function generateDeviceKey({ extractable = false } = {}): Promise<DeviceKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", extractable, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new TypeError("Ed25519 keys come in pairs");
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { privateKey: pair.privateKey, publicKey: toBase64url(raw), keyId: await keyIdOf(raw) };
}

/** From PKCS #8 in DER (RFC 8410), for devices that keep their key in a file. What comes back isn't extractable. */
export async function importDeviceKey(pkcs8: Uint8Array<ArrayBuffer>): Promise<DeviceKey> {
  try {
    // PKCS #8 needs not carry the public half, and WebCrypto gives it only in the JWK of an extractable key.
    const readable = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
    const { x = "" } = await crypto.subtle.exportKey("jwk", readable);
    const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
    return { privateKey, publicKey: x, keyId: await keyIdOf(x) };
  } catch (cause) {
    throw new GatewayError("INVALID_PARAMS", "Not an Ed25519 private key in PKCS #8", { cause });
  }
}

/** base64url(SHA-256(raw public key)). */
export async function keyIdOf(publicKey: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", rawKeyOf(publicKey))));
}

/** Throws INVALID_PARAMS unless it can be an Ed25519 public key. */
export function rawKeyOf(publicKey: Uint8Array<ArrayBuffer> | string): Uint8Array<ArrayBuffer> {
  const raw = typeof publicKey === "string" ? fromBase64url(publicKey) : publicKey;
  if (raw.length === RAW_KEY_BYTES) return raw;
  throw new GatewayError("INVALID_PARAMS", `An Ed25519 public key has ${RAW_KEY_BYTES} bytes`);
}
