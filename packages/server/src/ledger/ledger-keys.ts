import { createPrivateKey } from "node:crypto";
import {
  type FilledReceipt,
  keyFingerprint,
  Sealer,
  type Sha256Text,
  type Signer,
  type Utf8Slab,
} from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import type { SealedBytes } from "./sealed-bytes.ts";
import { sealOnThread } from "./sealing-thread.ts";

/** What signs a ledger, from one change of the key to the next. */
export interface LedgerKeys {
  readonly signer: Signer;
  readonly sealer: Sealer;
  /** With the same key, on another thread, as they are stored. Messages that stand in a slab go with it: they can't be read here afterwards. */
  sealAll(receipts: readonly FilledReceipt[], slab?: Utf8Slab): Promise<SealedBytes>;
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
  const { publicKey } = signer;
  const key = createPrivateKey(pem);
  return {
    ...{ signer, sealer: new Sealer(signer), ...rest },
    sealAll: (receipts, slab) => sealOnThread({ key, publicKey }, receipts, slab),
  };
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
