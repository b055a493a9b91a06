import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { examineReceipt, keyFingerprint, keyOfDid, publicKeyFromPem } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";

const crypto = nodeCrypto();

/** Keys that somebody vouches for, from outside of the record. */
export class Trust {
  readonly keys: readonly Uint8Array[];
  readonly #fingerprints: ReadonlySet<string>;

  constructor(keys: readonly Uint8Array[], fingerprints: readonly string[] = []) {
    this.keys = keys;
    this.#fingerprints = new Set([...fingerprints, ...keys.map((key) => keyFingerprint(key, crypto))]);
  }

  has(publicKey: Uint8Array): boolean {
    return this.#fingerprints.has(keyFingerprint(publicKey, crypto));
  }

  /** Which of them signed this receipt: for proofs that name a key without saying which bytes it is. */
  signerOf(raw: Uint8Array): Uint8Array | null {
    const examined = examineReceipt(raw, crypto);
    if (examined.kind === "malformed") return null;
    const { message, signature } = examined;
    return this.keys.find((publicKey) => crypto.verify({ publicKey, message, signature }) === true) ?? null;
  }

  get isEmpty(): boolean {
    return this.#fingerprints.size === 0;
  }
}

const FINGERPRINT = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** Each a did:key, a key's fingerprint, a PEM, or a file that holds one of these. */
export function readTrust(given: readonly string[]): Trust {
  const keys: Uint8Array[] = [];
  const fingerprints: string[] = [];
  for (const text of given) {
    const found = keyIn(text) ?? (existsSync(text) ? keyIn(readFileSync(text, "utf8").trim()) : undefined);
    if (found === undefined) {
      const kinds = "a did:key, a fingerprint (sha256:…), an Ed25519 public key as PEM, or a file with one";
      throw new CliError("FAILED", `--trust ${JSON.stringify(text.slice(0, 80))} is no key. Give ${kinds}.`, {
        exitCode: EXIT.usage,
      });
    }
    if (typeof found === "string") fingerprints.push(found);
    else keys.push(found);
  }
  return new Trust(keys, fingerprints);
}

function keyIn(text: string): Uint8Array | string | undefined {
  const fingerprint = FINGERPRINT.exec(text)?.[1];
  if (fingerprint !== undefined) return `sha256:${fingerprint.toLowerCase()}`;
  return keyOfDid(text) ?? publicKeyFromPem(text) ?? undefined;
}

/** The key of the recorder that belongs to this home, if there's one. */
export function localTrust(home: string): Trust {
  const path = join(home, "keys", "receipts.pub.pem");
  const key = existsSync(path) ? publicKeyFromPem(readFileSync(path, "utf8")) : null;
  return new Trust(key === null ? [] : [key]);
}
