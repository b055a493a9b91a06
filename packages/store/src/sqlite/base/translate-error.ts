import { StoreError } from "../../ledger/index.ts";

/** Primary result codes: https://sqlite.org/rescode.html. The extended code's low byte is the primary one. */
const PRIMARY_CODES: Readonly<Record<number, StoreError["code"]>> = {
  3: "UNWRITABLE", // SQLITE_PERM
  5: "BUSY", // SQLITE_BUSY
  6: "BUSY", // SQLITE_LOCKED
  8: "UNWRITABLE", // SQLITE_READONLY
  11: "CORRUPT", // SQLITE_CORRUPT
  13: "FULL", // SQLITE_FULL
  14: "UNWRITABLE", // SQLITE_CANTOPEN
  26: "CORRUPT", // SQLITE_NOTADB
};

/** Growing the -shm file has an I/O code of its own, and fails only where the disk gives no more space. */
const IOERR_SHMSIZE = 4874;

const FILE_CODES: Readonly<Record<string, StoreError["code"]>> = {
  EACCES: "UNWRITABLE",
  EDQUOT: "FULL",
  EEXIST: "EXISTS",
  EISDIR: "UNWRITABLE",
  ENOENT: "UNWRITABLE",
  ENOSPC: "FULL",
  ENOTDIR: "UNWRITABLE",
  EPERM: "UNWRITABLE",
  EROFS: "UNWRITABLE",
};

const ADVICE: Readonly<Partial<Record<StoreError["code"], string>>> = {
  CORRUPT: "The file was left as it is: move it away and put a backup in its place.",
  FULL: "No space is left: free some and try again; nothing already kept is lost.",
  UNWRITABLE: "Check that its directory exists and that this user may read and write both.",
  BUSY: "Another program holds it: try again when that one is done.",
};

/** Turns what node:sqlite or node:fs threw into a StoreError; one that is already a StoreError stays as it is. */
export function translateError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  const advice = ADVICE[code];
  return new StoreError(code, `${doing}: ${detail}.${advice === undefined ? "" : ` ${advice}`}`, { cause: error });
}

function codeOf(error: unknown): StoreError["code"] {
  if (!(error instanceof Error)) return "FAILED";
  if ("errcode" in error && typeof error.errcode === "number") {
    if (error.errcode === IOERR_SHMSIZE) return "FULL";
    return PRIMARY_CODES[error.errcode & 0xff] ?? "FAILED";
  }
  if ("code" in error && typeof error.code === "string") return FILE_CODES[error.code] ?? "FAILED";
  return "FAILED";
}
