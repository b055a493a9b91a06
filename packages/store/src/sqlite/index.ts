export { backUpFile } from "./back-up-file.ts";
export { lockHome } from "./lock-home.ts";
export { openMirroredStore, openSqliteStore, openStoreToRead, type StoreReader } from "./open-sqlite-store.ts";
export { readLedger, readReceipts } from "./read-ledger.ts";
