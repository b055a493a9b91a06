import { createPrivateKey, type KeyObject } from "node:crypto";
import { keyFingerprint, Sealer, type Sha256Text, type Signer } from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";

/** What signs a ledger, from one change of the key to the next. */
export interface LedgerKeys {
  readonly signer: Signer;
  readonly sealer: Sealer;
  /** The same key, for another thread. */
  readonly key: KeyObject;
  /** Of the only key that may follow: made long before it is needed, so that a thief of this one can't name another. */
  readonly nextFingerprint: Sha256Text;
  /** What the names of sub-chains begin with: one belongs to one key, see `chainPart`. */
  readonly chainPart: string;
}

/** Of a store that writes; replaced as one, in the moment in which a change is durable. */
export interface KeysInForce {
  current: LedgerKeys;
}

export function keysFrom(pem: string, rest: Pick<LedgerKeys, "nextFingerprint" | "chainPart">): LedgerKeys {
  const signer = signerFromPem(pem);
  return { signer, sealer: new Sealer(signer), key: createPrivateKey(pem), ...rest };
}

/**
 * A sub-chain isn't handed from one key to the next: it ends, and another one continues it. Handing over would take the old key's signature
 * on every chain that could ever go on, at once. Under the ledger's first key the part is empty.
 */
export function chainPart(fingerprint: string): string {
  return `key-${fingerprint.slice("sha256:".length, "sha256:".length + 16)}:`;
}

export function fingerprintOf(publicKey: Uint8Array): Sha256Text {
  return keyFingerprint(publicKey, nodeCrypto());
}
