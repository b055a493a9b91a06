export { checkLedger, type LedgerCheck, type StoredReceipt } from "./check-ledger.ts";
export {
  LEDGER_TYPES,
  type LedgerDraft,
  type LedgerEntry,
  type LedgerHead,
  type LedgerIdentity,
  type LedgerType,
  originOf,
} from "./entries.ts";
export {
  actionTypeOf,
  draftOf,
  type EmittedDraft,
  type EmittedForm,
  type EmittedReceipt,
  type FilledForm,
  type FrameRecord,
  type Recorded,
} from "./frame-record.ts";
export { KeyFiles, type KeysOnRecord } from "./key-files.ts";
export { chainPart, fingerprintOf, type KeysInForce, type LedgerKeys } from "./ledger-keys.ts";
export type { LedgerRow } from "./ledger-row.ts";
export { mustBeConfirmed } from "./must-be-confirmed.ts";
export { type ReceiptKey, receiptKey } from "./receipt-key.ts";
export { bodyIn, type ReceiptSetting, receiptOf, withoutNulls } from "./receipt-of.ts";
export { makeSalt, saltedHash, saltedProposalHash } from "./salted-hash.ts";
export { StoreError } from "./store-error.ts";
