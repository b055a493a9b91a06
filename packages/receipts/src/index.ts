export { CanonicalError, canonicalize, type Json } from "./canonical/canonicalize.ts";
export { isExactNumber } from "./canonical/exact-number.ts";
export { JsonError, type JsonFault, parseJson, readJson } from "./canonical/read-json.ts";
export {
  type Checkpoint,
  type CheckpointFault,
  type OpenedCheckpoint,
  openCheckpoint,
  readCheckpoint,
  signCheckpoint,
  signCheckpointNow,
} from "./checkpoint/checkpoint.ts";
export { type Cosignature, type Cosigner, checkCosignatures, cosignCheckpoint } from "./checkpoint/cosign.ts";
export { type Comparison, compareWithMemory } from "./checkpoint/memory.ts";
export type { NoteKey } from "./checkpoint/note.ts";
export { ByteSlab } from "./crypto/bytes.ts";
export { type DidDocument, didDocumentOfKey, didOfKey, didUrlOfKey, keyOfDid } from "./crypto/did-key.ts";
export { publicKeyFromPem, publicKeyToPem } from "./crypto/pem.ts";
export { type ReceiptCrypto, SIGNATURE_BYTES, type SignatureCheck, type Signer } from "./crypto/port.ts";
export { webCrypto, webSigner } from "./crypto/web-crypto.ts";
export { type ChainPlace, createReceipt, type ReceiptHead, type UnsealedReceipt } from "./format/create.ts";
export { MAX_RECEIPT_BYTES, ReceiptError, type ReceiptErrorCode } from "./format/error.ts";
export { type Blank, type FilledReceipt, fillDraft, newBlank, ReceiptForm } from "./format/form.ts";
export { type Digest, digestOf, hashObject, hashReceipt, type Sha256Text } from "./format/hash.ts";
export { OUR_TYPES } from "./format/our-types.ts";
export { PEER_TYPES } from "./format/peer-types.ts";
export { type Malformed, type MalformedReason, type ReadReceipt, readReceipt } from "./format/read.ts";
export type { KeyRotation, Receipt, ReceiptDraft, RiskLevel, UnsignedReceipt } from "./format/receipt.ts";
export { type ActionType, riskFloor, riskOf } from "./format/risk.ts";
export { describeRotation, followRotation, type KeyInForce, keyFingerprint } from "./format/rotation.ts";
export { type ChainRef, FORMAT as OUR_FORMAT, runtimeField } from "./format/runtime.ts";
export { Sealer } from "./format/sealer.ts";
export { TreeFrontier, type TreeNode } from "./merkle/frontier.ts";
export { leafHash } from "./merkle/node-hash.ts";
export { type NodeReader, proveConsistency, proveInclusion } from "./merkle/prove.ts";
export {
  type ConsistencyClaim,
  checkConsistency,
  checkInclusion,
  type InclusionClaim,
  type TreeHead,
} from "./merkle-check/check-proof.ts";
export { type CheckedProof, checkProof, openByLine } from "./proofs/check.ts";
export { type FollowedLine, followKeyLine, type KeyLine } from "./proofs/key-line.ts";
export {
  type ConsistencyProof,
  type InclusionProof,
  type LedgerProof,
  PROOF_FORMAT,
  readProof,
} from "./proofs/proof.ts";
export { type Asking, type LedgerMemory, lookAgain, type Sighting } from "./proofs/remember.ts";
export {
  type MemoryShelf,
  type ShownLedger,
  type Witnessed,
  witnessLedger,
} from "./proofs/witness.ts";
export { BUNDLE_FORMAT, type Bundle, looksLikeBundle, MAX_BUNDLE_BYTES, readBundle } from "./record/bundle.ts";
export { checkBundleHead } from "./record/bundle-head.ts";
export type { WantedHead } from "./record/head-watch.ts";
export { lineBatches } from "./record/lines.ts";
export { FAULT_MEANINGS, isToldAfterAll } from "./record/meanings.ts";
export { largestOf, type Memory, memoriesAbout, memoriesOf, ofNewestEpoch } from "./record/memories.ts";
export { lineOf, type ReceiptLine } from "./record/receipt-line.ts";
export { RECEIPTS_IN_SPAN, RECORD_BATCH, type RecordItem, type RecordRow, type RecordSource } from "./record/source.ts";
export { readKey, Trust } from "./record/trust.ts";
export { judgeVerification, type RecordVerdict } from "./record/verdict.ts";
export {
  type OnReceipt,
  type PrecheckDesk,
  type Verification,
  type VerifyOptions,
  verifyRecord,
} from "./record/verify-record.ts";
export { verifySelection } from "./record/verify-selection.ts";
export {
  type BundleSource,
  type BundleWish,
  bundleParts,
  type ExportedPart,
  type PlacedReceipt,
} from "./record/write-bundle.ts";
export type { Advisory } from "./verify/advisor.ts";
export { type ChainOptions, type ChainReport, ChainVerifier, type ExpectedHead } from "./verify/chain-verifier.ts";
export {
  type BytesRule,
  type Examined,
  examineReceipt,
  type Precheck,
  precheckReceipts,
  type ReceiptFacts,
} from "./verify/examine.ts";
export { FAULT_CODES, type Fault, type FaultCode } from "./verify/fault.ts";
export { type KeyClaim, type KeyResolver, ownDidKey, trustKey } from "./verify/key-resolver.ts";
export { type LedgerOptions, type LedgerReport, LedgerVerifier } from "./verify/ledger-verifier.ts";
export { type ReceiptCheck, type ReceiptOptions, verifyReceipt } from "./verify/verify-receipt.ts";
