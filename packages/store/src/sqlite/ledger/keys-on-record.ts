import { type KeyRotation, keyOfDid, type Receipt, readReceipt, type Sha256Text } from "@countersign/receipts";
import { chainPart, fingerprintOf, type KeysOnRecord, StoreError } from "../../ledger/index.ts";
import type { Statements } from "../base/index.ts";

/** The key that signs what comes next, as the ledger says; undefined: there's none yet. */
export function keysOnRecord(sql: Statements): KeysOnRecord | undefined {
  const newest = rotationsIn(sql)[0];
  if (newest !== undefined) {
    const { publicKey, receipt } = newest;
    return { publicKey, nextFingerprint: nextIn(receipt), chainPart: chainPart(fingerprintOf(publicKey)) };
  }
  const first = sql.one("SELECT raw FROM receipt WHERE seq = 1");
  if (first === undefined) return undefined;
  const receipt = readStored(String(first.raw));
  return { publicKey: firstKeyOf(receipt), nextFingerprint: nextIn(receipt), chainPart: "" };
}

/** Every key that the ledger was ever signed with, the newest first. */
export function publicKeysIn(sql: Statements): Uint8Array[] {
  const first = sql.one("SELECT raw FROM receipt WHERE seq = 1");
  if (first === undefined) return [];
  return [...rotationsIn(sql).map(({ publicKey }) => publicKey), firstKeyOf(readStored(String(first.raw)))];
}

/** The receipts that all of this rests on, in their order, as they were signed. */
export function keyLineIn(sql: Statements): string[] {
  const first = sql.one("SELECT raw FROM receipt WHERE seq = 1");
  return first === undefined
    ? []
    : [
        String(first.raw),
        ...rotationsIn(sql)
          .map(({ raw }) => raw)
          .reverse(),
      ];
}

const DAY_MS = 86_400_000;
/** Each stays in what every proof and every device has to follow, for ever, and that may hold only so many. */
const CHANGES_PER_DAY = 24;
const CHANGES_IN_ALL = 900;

/** Throws where the key was changed too often. */
export function refuseTooManyChanges(sql: Statements, atMs: number): void {
  const counted = sql.one(
    `SELECT count(*) AS all_of_them, count(*) FILTER (WHERE at_ms > ?) AS lately
      FROM receipt WHERE type = 'key-rotated' AND emitter IS NULL`,
    atMs - DAY_MS,
  );
  if (Number(counted?.lately) >= CHANGES_PER_DAY)
    throw new StoreError("BUSY", `The key was changed ${CHANGES_PER_DAY} times within a day (limit: keyChangesPerDay)`);
  if (Number(counted?.all_of_them) >= CHANGES_IN_ALL)
    throw new StoreError("BUSY", `The key was changed ${CHANGES_IN_ALL} times: begin a new ledger (limit: keyChanges)`);
}

/** What sub-chains of earlier keys begin with, the newest first. */
export function earlierParts(sql: Statements): string[] {
  const [, ...earlier] = rotationsIn(sql).map(({ publicKey }) => chainPart(fingerprintOf(publicKey)));
  return [...earlier, ""];
}

interface Rotation {
  readonly raw: string;
  readonly receipt: Receipt;
  /** Who signs from then on. */
  readonly publicKey: Uint8Array;
}

/** The newest first. */
function rotationsIn(sql: Statements): Rotation[] {
  const rows = sql.all("SELECT raw FROM receipt WHERE type = 'key-rotated' AND emitter IS NULL ORDER BY seq DESC");
  return rows.flatMap((row) => {
    const raw = String(row.raw);
    const receipt = readStored(raw);
    const { keyRotation } = receipt.credentialSubject;
    return keyRotation ? [{ raw, receipt, publicKey: newKeyOf(keyRotation) }] : [];
  });
}

function readStored(raw: string): Receipt {
  const read = readReceipt(Buffer.from(raw));
  if (read.kind === "receipt") return read.receipt;
  throw new StoreError(
    "CORRUPT",
    `A receipt that names the ledger's key is unreadable (${read.reason}). Restore a backup.`,
  );
}

function firstKeyOf({ proof }: Receipt): Uint8Array {
  const key = keyOfDid(proof.verificationMethod);
  if (key !== null) return key;
  throw new StoreError("CORRUPT", "The ledger's first receipt names no key. Restore a backup.");
}

function newKeyOf({ new_public_key: key }: KeyRotation): Uint8Array {
  return new Uint8Array(Buffer.from(key.slice(1), "base64url"));
}

function nextIn({ issuer }: Receipt): Sha256Text {
  return issuer.runtime?.nextKey as Sha256Text;
}
