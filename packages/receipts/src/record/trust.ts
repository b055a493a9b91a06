import { keyOfDid, publicKeyFromPem, type ReceiptCrypto } from "../crypto/index.ts";
import { keyFingerprint } from "../format/index.ts";
import { examineReceipt } from "../verify/index.ts";

/** Keys that somebody vouches for, from outside of the record. */
export class Trust {
  readonly keys: readonly Uint8Array[];
  readonly #crypto: ReceiptCrypto;
  readonly #fingerprints: ReadonlySet<string>;

  constructor(keys: readonly Uint8Array[], crypto: ReceiptCrypto, fingerprints: readonly string[] = []) {
    this.keys = keys;
    this.#crypto = crypto;
    this.#fingerprints = new Set([...fingerprints, ...keys.map((key) => keyFingerprint(key, crypto))]);
  }

  has(publicKey: Uint8Array): boolean {
    return this.#fingerprints.has(keyFingerprint(publicKey, this.#crypto));
  }

  /**
   * Which of them signed this receipt: for proofs that name a key without saying which bytes it is. Where signatures take
   * their time, none: those of others are then for a program that has it at once.
   */
  signerOf(raw: Uint8Array): Uint8Array | null {
    const examined = examineReceipt(raw, this.#crypto);
    if (examined.kind === "malformed") return null;
    const { message, signature } = examined;
    return this.keys.find((publicKey) => this.#crypto.verify({ publicKey, message, signature }) === true) ?? null;
  }

  get isEmpty(): boolean {
    return this.#fingerprints.size === 0;
  }
}

const FINGERPRINT = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** A did:key, a PEM, or a key's fingerprint, which comes back as text; undefined: none of them. */
export function readKey(text: string): Uint8Array | string | undefined {
  const fingerprint = FINGERPRINT.exec(text)?.[1];
  if (fingerprint !== undefined) return `sha256:${fingerprint.toLowerCase()}`;
  return keyOfDid(text) ?? publicKeyFromPem(text) ?? undefined;
}
