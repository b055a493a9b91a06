export type { DecidedRecord } from "./contract/decided.ts";
export type { ActivityGroup, HistoryRow } from "./contract/history.ts";
export type {
  AnswerCount,
  ApprovalRecord,
  ChatRecord,
  DenialRecord,
  DeviceRecord,
  EntryUse,
  GrantRecord,
  MessageRecord,
  ProposalRecord,
  SessionRecord,
  TokenRecord,
  UsedChat,
} from "./contract/records.ts";
export type { Commit, Explanation, SandboxRecord, StepRecord, Store, TerminalRecord, Write } from "./contract/store.ts";
export { checkLedger, type LedgerCheck, type StoredReceipt } from "./ledger/check-ledger.ts";
export {
  LEDGER_TYPES,
  type LedgerDraft,
  type LedgerEntry,
  type LedgerHead,
  type LedgerType,
} from "./ledger/entries.ts";
export type { EmittedDraft, EmittedForm, FrameRecord, Recorded } from "./ledger/frame-record.ts";
export type { LedgerRow } from "./ledger/ledger-row.ts";
export { receiptKey } from "./ledger/receipt-key.ts";
export { withoutNulls } from "./ledger/receipt-of.ts";
export { makeSalt, saltedHash, saltedProposalHash } from "./ledger/salted-hash.ts";
export { StoreError } from "./ledger/store-error.ts";
export { allReceipts } from "./service/all-receipts.ts";
export { Audit, type AuditEvent } from "./service/audit.ts";
export { listChains, listCheckpoints, readChain } from "./service/chain-views.ts";
export { Checkpoints } from "./service/checkpoints.ts";
export { type ExportedReceipts, exportReceipts } from "./service/export-receipts.ts";
export { proveGrowth, proveReceipt, tellCheckpoint } from "./service/proofs.ts";
export { rebuildAudit } from "./service/rebuild-audit.ts";
export { getReceipt, listReceipts } from "./service/receipt-views.ts";
export { recordConfigChanges } from "./service/record-config.ts";
export { rotateKey } from "./service/rotate-key.ts";
export { WitnessFile } from "./service/witness-file.ts";
export { backUpFile } from "./sqlite/back-up-file.ts";
export { translateError } from "./sqlite/base/translate-error.ts";
export { lockHome } from "./sqlite/lock-home.ts";
export { openMirroredStore, openSqliteStore, openStoreToRead, type StoreReader } from "./sqlite/open-sqlite-store.ts";
export { readLedger, readReceipts } from "./sqlite/read-ledger.ts";
export { Mirror } from "./sqlite/verified-copy/mirror.ts";
export type { KeptDraft } from "./sqlite/verified-copy/outbox.ts";
