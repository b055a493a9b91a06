import { ReceiptError, type ReceiptHead, type Sha256Text } from "@countersign/receipts";
import type { StoredReceipt } from "../../ledger/check-ledger.ts";
import { actionTypeOf, type EmittedReceipt, type FrameRecord } from "../../ledger/frame-record.ts";
import type { LedgerRow } from "../../ledger/ledger-row.ts";
import { StoreError } from "../store.ts";
import { ms, text, textOrNull } from "./encode.ts";

/** What a receipt is found by. */
export type ReceiptRow = Omit<LedgerRow, keyof StoredReceipt>;

/** In its place in a chain; what is signed stands beside it. */
export interface PlacedReceipt extends ReceiptRow {
  readonly chainId: string;
  readonly sequence: number;
  readonly hash: Sha256Text;
}

/** Neither session nor proposal: those columns lead to what the hub says, and an emitter may claim any. */
export function rowOf({ emitter, atMs, idempotencyKey, receipts }: FrameRecord, receipt: EmittedReceipt): ReceiptRow {
  const key = receipt === receipts.at(-1) ? idempotencyKey : null;
  const type = text(actionTypeOf(receipt));
  const [from, once] = [text(emitter), textOrNull(key)];
  return { type, sessionId: null, proposalKey: null, atMs: ms(atMs), emitter: from, idempotencyKey: once };
}

export function placeRow(row: ReceiptRow, chainId: string, { sequence, hash }: ReceiptHead): PlacedReceipt {
  const { type, sessionId, proposalKey, atMs, emitter, idempotencyKey } = row;
  return { type, sessionId, proposalKey, atMs, emitter, idempotencyKey, chainId, sequence, hash };
}

/** Of each member a list, of each receipt the same place in all of them. */
export type PlacedColumns = { readonly [K in keyof PlacedReceipt]: readonly PlacedReceipt[K][] };

/** For another thread: objects take ten times as long to be handed over as lists of texts do. */
export function columnsOf(placed: readonly PlacedReceipt[]): PlacedColumns {
  return {
    type: placed.map((one) => one.type),
    sessionId: placed.map((one) => one.sessionId),
    proposalKey: placed.map((one) => one.proposalKey),
    atMs: placed.map((one) => one.atMs),
    emitter: placed.map((one) => one.emitter),
    idempotencyKey: placed.map((one) => one.idempotencyKey),
    chainId: placed.map((one) => one.chainId),
    sequence: placed.map((one) => one.sequence),
    hash: placed.map((one) => one.hash),
  };
}

export function placedIn(columns: PlacedColumns): readonly PlacedReceipt[] {
  const member = <K extends keyof PlacedReceipt>(name: K, at: number) => columns[name][at] as PlacedReceipt[K];
  return columns.hash.map((hash, at) => ({
    type: member("type", at),
    sessionId: member("sessionId", at),
    proposalKey: member("proposalKey", at),
    atMs: member("atMs", at),
    emitter: member("emitter", at),
    idempotencyKey: member("idempotencyKey", at),
    chainId: member("chainId", at),
    sequence: member("sequence", at),
    hash,
  }));
}

/** What the format, or a date, can't hold is the caller's fault. */
export function asInvalid(cause: unknown): unknown {
  if (!(cause instanceof ReceiptError || cause instanceof RangeError)) return cause;
  return new StoreError("INVALID", cause.message, { cause });
}
