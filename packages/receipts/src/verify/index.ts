export type { Advisory } from "./advisor.ts";
export {
  type ChainOptions,
  type ChainReport,
  ChainVerifier,
  type ExpectedHead,
  isHashOf,
  newShared,
  type ResponseTo,
  type Shared,
} from "./chain-verifier.ts";
export {
  type BytesRule,
  type Examined,
  examineReceipt,
  type Precheck,
  precheckReceipts,
  type ReceiptFacts,
} from "./check-receipt.ts";
export {
  type BundleReason,
  FAULT_CODES,
  type Fault,
  type FaultCode,
  faultOf,
  malformedAt,
  NewerReceipts,
} from "./fault.ts";
export { type KeyClaim, type KeyResolver, ownDidKey, trustKey } from "./key-resolver.ts";
export { type LedgerOptions, type LedgerReport, LedgerVerifier } from "./ledger-verifier.ts";
export { type ReceiptCheck, type ReceiptOptions, verifyReceipt } from "./verify-receipt.ts";
