export { BUNDLE_FORMAT, type Bundle, looksLikeBundle, MAX_BUNDLE_BYTES, readBundle } from "./bundle.ts";
export { checkBundleHead } from "./bundle-head.ts";
export { FAULT_MEANINGS, isToldAfterAll } from "./fault-messages.ts";
export type { WantedHead } from "./head-watch.ts";
export { lineBatches } from "./lines.ts";
export { lineOf, type ReceiptLine } from "./receipt-line.ts";
export { RECEIPTS_IN_SPAN, RECORD_BATCH, type RecordItem, type RecordRow, type RecordSource } from "./source.ts";
export { readKey, Trust } from "./trust.ts";
export { judgeVerification, type RecordVerdict } from "./verdict.ts";
export {
  type OnReceipt,
  type Prechecker,
  type Verification,
  type VerifyOptions,
  verifyRecord,
} from "./verify-record.ts";
export { verifySelection } from "./verify-selection.ts";
export { largestOf, type Memory, memoriesAbout, memoriesOf, ofNewestEpoch } from "./witnessed-checkpoints.ts";
export {
  type BundleSource,
  type BundleWish,
  bundleParts,
  type ExportedPart,
  type PlacedReceipt,
} from "./write-bundle.ts";
