import { keyOfDid } from "../crypto/index.ts";
import type { KeyInForce } from "../format/index.ts";

/** What a chain's first receipt says about who signed it. */
export interface KeyClaim {
  readonly verificationMethod: string;
  readonly issuerId: string;
  readonly chainId: string;
}

/** The key that a chain begins with; null: nobody knows one. Later receipts can only change it by a rotation. */
export type KeyResolver = (claim: KeyClaim) => Uint8Array | KeyInForce | null;

/** A key that the reader trusts, whatever the chain says of itself. */
export function trustKey(publicKey: Uint8Array): KeyResolver {
  return () => publicKey;
}

/** The key inside the did:key that the proof names. Proves that one key signed it all, and nothing about whose it is. */
export const ownDidKey: KeyResolver = ({ verificationMethod }) => keyOfDid(verificationMethod);
