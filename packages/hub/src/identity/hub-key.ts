import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";

/** By what a gateway knows this hub again. It opens nothing: approvers know the hub by what it knows of their tokens. */
export interface HubKey {
  /** base64url of the 32 raw bytes; what `countersign gateway --hub-key` takes. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): string;
}

/** `keys/hub.key`: Ed25519, PKCS #8 in PEM, for its owner alone; made at first use. */
export async function openHubKey(home: Home): Promise<HubKey> {
  const path = join(home.keys, "hub.key");
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync("ed25519");
    await writeFileAtomically(path, privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  }
  chmodSync(path, 0o600);
  const privateKey = readPrivateKey(path);
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return { publicKey: x, sign: (bytes) => sign(null, bytes, privateKey).toString("base64url") };
}

/** Throws StartError unless it is a public key as `HubKey.publicKey` has it. */
export function readHubKey(text: string): string {
  try {
    toKey(text);
    return text;
  } catch (cause) {
    throw new StartError("CONFIG_INVALID", "The hub's key must be 32 bytes of Ed25519 in base64url.", { cause });
  }
}

export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  let key: KeyObject;
  try {
    key = toKey(publicKey);
  } catch {
    // Somebody else's text, that is no key: then nothing is signed by it.
    return false;
  }
  return verify(null, bytes, key, Buffer.from(signature, "base64url"));
}

function toKey(publicKey: string): KeyObject {
  if (!/^[A-Za-z0-9_-]{43}$/.test(publicKey)) throw new TypeError("not 32 bytes in base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
}

function readPrivateKey(path: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`it is ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    throw new StartError("CONFIG_INVALID", `${path} isn't an Ed25519 key in PKCS #8. Remove it to have a new one.`, {
      cause,
    });
  }
}
