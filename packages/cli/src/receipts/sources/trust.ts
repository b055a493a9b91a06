import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publicKeyFromPem, readKey, Trust } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { CliError, EXIT } from "../../base/index.ts";

const crypto = nodeCrypto();

/** Each a did:key, a key's fingerprint, a PEM, or a file that holds one of these. */
export function readTrust(given: readonly string[]): Trust {
  const keys: Uint8Array[] = [];
  const fingerprints: string[] = [];
  for (const text of given) {
    const found = readKey(text) ?? (existsSync(text) ? readKey(readFileSync(text, "utf8").trim()) : undefined);
    if (found === undefined) {
      const kinds = "a did:key, a fingerprint (sha256:…), an Ed25519 public key as PEM, or a file with one";
      throw new CliError("FAILED", `--trust ${JSON.stringify(text.slice(0, 80))} isn't a key. Give ${kinds}.`, {
        exitCode: EXIT.usage,
      });
    }
    if (typeof found === "string") fingerprints.push(found);
    else keys.push(found);
  }
  return new Trust(keys, crypto, fingerprints);
}

/** The key of the recorder that belongs to this home, if there's one. */
export function localTrust(home: string): Trust {
  const path = join(home, "keys", "receipts.pub.pem");
  const key = existsSync(path) ? publicKeyFromPem(readFileSync(path, "utf8")) : null;
  return new Trust(key === null ? [] : [key], crypto);
}
