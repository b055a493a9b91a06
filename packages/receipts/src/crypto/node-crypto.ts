import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { KeyCache } from "./key-cache.ts";
import { spkiOf } from "./pem.ts";
import { PUBLIC_KEY_BYTES, type ReceiptCrypto, SIGNATURE_BYTES, type SignatureCheck, type Signer } from "./port.ts";

/** Every check on the calling thread: the fastest for one core, and for a worker that has one to itself. */
export function nodeCrypto(): ReceiptCrypto {
  const keys = keyObjects();
  return {
    ...digests,
    verify: (check) => hasRightSizes(check) && verify(null, check.message, keys.get(check.publicKey), check.signature),
  };
}

/** Checks on libuv's threads: the caller reads on while they are done. */
export function pooledNodeCrypto(): ReceiptCrypto {
  const keys = keyObjects();
  return {
    ...digests,
    verify: (check) => hasRightSizes(check) && verifyOnPool(check, keys.get(check.publicKey)),
  };
}

function verifyOnPool(check: SignatureCheck, key: KeyObject): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, check.message, key, check.signature, (error, valid) => (error ? reject(error) : resolve(valid)));
  });
}

const digests = {
  sha256: (bytes: Uint8Array) => hash("sha256", bytes, "buffer"),
  sha256Hex: (bytes: Uint8Array | string) => hash("sha256", bytes, "hex"),
};

function keyObjects(): KeyCache<KeyObject> {
  return new KeyCache((raw) => createPublicKey({ key: Buffer.from(spkiOf(raw)), format: "der", type: "spki" }));
}

function hasRightSizes({ publicKey, signature }: SignatureCheck): boolean {
  return publicKey.length === PUBLIC_KEY_BYTES && signature.length === SIGNATURE_BYTES;
}

/** From a PKCS#8 PEM. Throws for a key that isn't Ed25519. */
export function signerFromPem(pem: string): Signer {
  const { key, publicKey } = openKey(pem);
  return { publicKey, sign: (message) => sign(null, message, key) };
}

function openKey(pem: string): { key: KeyObject; publicKey: Uint8Array } {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`not an Ed25519 key: ${key.asymmetricKeyType}`);
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { key, publicKey: Uint8Array.from(spki.subarray(-PUBLIC_KEY_BYTES)) };
}

/** A new key, as PKCS#8 and SPKI PEM; the caller keeps the first where only it can read. */
export function generateSigningKey(): { readonly privatePem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privatePem: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    publicPem: publicKey.export({ format: "pem", type: "spki" }).toString(),
  };
}
