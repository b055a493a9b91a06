export { type ActionType, OUR_TYPES, PEER_TYPES, riskFloor, riskOf } from "./action-types.ts";
export { type ChainPlace, createReceipt, type ReceiptHead, type UnsealedReceipt } from "./create.ts";
export { MAX_RECEIPT_BYTES, ReceiptError, type ReceiptErrorCode } from "./error.ts";
export { type Digest, digestOf, hashBytes, hashObject, hashReceipt, type Sha256Text } from "./hash.ts";
export { type Malformed, type MalformedReason, malformed, type ReadReceipt, readReceipt } from "./read.ts";
export {
  type KeyRotation,
  NEWEST_VERSION,
  type OutcomeStatus,
  type Receipt,
  type ReceiptDraft,
  type RiskLevel,
  type UnsignedReceipt,
} from "./receipt.ts";
export { describeRotation, followRotation, type KeyInForce, keyFingerprint } from "./rotation.ts";
export { type ChainRef, FORMAT, type Runtime, readRuntime, runtimeField } from "./runtime.ts";
export { Sealer } from "./sealer.ts";
export { integer, list, object, oneOf, type Shape, someText, type TypeOf } from "./shape.ts";
export { type FilledReceipt, fillTemplate, newPlaceholder, type Placeholder, ReceiptTemplate } from "./template.ts";
