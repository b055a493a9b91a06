import { fromBase64Url, PUBLIC_KEY_BYTES, toBase64Url } from "../crypto/index.ts";
import { type Digest, hashBytes, type Sha256Text } from "./hash.ts";
import type { KeyRotation } from "./receipt.ts";

const ALGORITHM = "ed25519";

/** Over the 32 raw bytes, not SPKI or PEM. */
export function keyFingerprint(publicKey: Uint8Array, crypto: Digest): Sha256Text {
  return hashBytes(publicKey, crypto);
}

/** The `keyRotation` of a receipt that the old key signs; from the next receipt on, the new one does. */
export function describeRotation(keys: { oldKey: Uint8Array; newKey: Uint8Array }, crypto: Digest): KeyRotation {
  return {
    event_type: "key_rotated",
    new_public_key: `u${toBase64Url(keys.newKey)}`,
    old_key_fingerprint: keyFingerprint(keys.oldKey, crypto),
    new_key_fingerprint: keyFingerprint(keys.newKey, crypto),
    old_algorithm: ALGORITHM,
    new_algorithm: ALGORITHM,
    signed_with: "old",
  };
}

export interface KeyInForce {
  readonly publicKey: Uint8Array;
  /** Fingerprint of the only key that may follow; null where none was committed to, as in the peer's chains. */
  readonly nextKey: string | null;
}

/**
 * The key that a rotation puts in force, or null when it puts none: another algorithm, a fingerprint that isn't the
 * key's, an old key that isn't the one in use, or a successor other than the one committed to. The last is what a
 * stolen key can't get round: it signs what it likes, but it can't name its own successor.
 */
export function followRotation(rotation: KeyRotation, inForce: KeyInForce, crypto: Digest): Uint8Array | null {
  const { old_algorithm: oldAlgorithm, new_algorithm: newAlgorithm } = rotation;
  if (oldAlgorithm !== ALGORITHM || newAlgorithm !== ALGORITHM) return null;
  const newKey = fromBase64Url(rotation.new_public_key.slice(1));
  if (newKey?.length !== PUBLIC_KEY_BYTES) return null;
  const fingerprint = keyFingerprint(newKey, crypto);
  if (fingerprint !== rotation.new_key_fingerprint) return null;
  if (keyFingerprint(inForce.publicKey, crypto) !== rotation.old_key_fingerprint) return null;
  return inForce.nextKey === null || inForce.nextKey === fingerprint ? newKey : null;
}
