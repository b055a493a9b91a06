import type { KeyObject } from "node:crypto";
import type { FilledReceipt } from "@countersign/receipts";
import { AskedThread } from "../threads/asked-thread.ts";
import { inOnePiece, type SealedBytes } from "./sealed-bytes.ts";

/** Receipts to be signed with one key. */
export interface SealOrder {
  readonly key: KeyObject;
  readonly publicKey: Uint8Array;
  readonly messages: Uint8Array;
  /** Of each, in order: how long its message is, what stands before the proof of that, and its date. */
  readonly lengths: readonly number[];
  readonly proofsAt: readonly number[];
  readonly dates: readonly string[];
}

const thread = new AskedThread<SealOrder, SealedBytes>(new URL("./sealing-worker.ts", import.meta.url));

/**
 * Signs while the caller goes on, and answers with receipts as they are stored: one thread of this process for all ledgers. libuv's would do it,
 * too, but a signature costs half of itself again to be asked for there.
 */
export function sealOnThread(
  keys: Pick<SealOrder, "key" | "publicKey">,
  receipts: readonly FilledReceipt[],
): Promise<SealedBytes> {
  const { bytes: messages, lengths } = inOnePiece(receipts.map(({ message }) => message));
  const proofsAt = receipts.map(({ proofAt }) => proofAt);
  const dates = receipts.map(({ receipt }) => receipt.issuanceDate);
  return thread.ask({ ...keys, messages, lengths, proofsAt, dates }, [messages.buffer]);
}
