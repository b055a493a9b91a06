import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";

/**
 * Key pair by which push services identify this hub (RFC 8292). Both parts are in base64url, as web-push takes them.
 */
export interface PushKey {
  /** 65 bytes: an uncompressed point of P-256. */
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Reads `keys/push.key` (P-256, PKCS #8 in PEM, mode 600), and creates it at first use. After a new key every device
 * has to subscribe again.
 */
export async function openPushKey(keysDir: string): Promise<PushKey> {
  const path = join(keysDir, "push.key");
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFileAtomically(path, privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  }
  chmodSync(path, 0o600);
  const privateKey = readPrivateKey(path);
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: privateKey.export({ format: "jwk" }).d ?? "" };
}

function readPrivateKey(path: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new TypeError("not P-256");
    return key;
  } catch (cause) {
    throw new HubError("INTERNAL", `${path} isn't a P-256 key in PKCS #8; remove it to have a new one`, { cause });
  }
}
