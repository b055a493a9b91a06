import { type FilledReceipt, ReceiptError, type ReceiptHead, type Sha256Text } from "@countersign/receipts";
import {
  actionTypeOf,
  type EmittedReceipt,
  type FrameRecord,
  type LedgerRow,
  type StoredReceipt,
  StoreError,
} from "../../ledger/index.ts";
import { ms, text, textOrNull } from "./encode.ts";

/** What a receipt is found by. */
export type ReceiptRow = Omit<LedgerRow, keyof StoredReceipt>;

/** In its place in a chain; what is signed stands beside it. */
export interface PlacedReceipt extends ReceiptRow {
  readonly chainId: string;
  readonly sequence: number;
  readonly hash: Sha256Text;
}

/** To be signed. */
export interface LinkedReceipt {
  readonly unsealed: FilledReceipt;
  readonly placed: PlacedReceipt;
}

/** As it is stored: a text, or its bytes where it comes from another thread. */
export type RawReceipt = string | Uint8Array;

export function textOf(raw: RawReceipt): string {
  return typeof raw === "string" ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();
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

/** What the format, or a date, can't hold is the caller's fault. */
export function asInvalid(cause: unknown): unknown {
  if (!(cause instanceof ReceiptError || cause instanceof RangeError)) return cause;
  return new StoreError("INVALID", cause.message, { cause });
}
