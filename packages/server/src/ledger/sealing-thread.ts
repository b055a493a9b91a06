import type { KeyObject } from "node:crypto";
import type { FilledReceipt, Utf8Slab } from "@countersign/receipts";
import { AskedThread } from "../threads/asked-thread.ts";
import { inOnePiece, type SealedBytes } from "./sealed-bytes.ts";

interface Keys {
  readonly key: KeyObject;
  readonly publicKey: Uint8Array;
}

/** Receipts to be signed with one key. */
export interface SealOrder {
  /** None: the same as in the order before. */
  readonly key?: KeyObject;
  readonly publicKey: Uint8Array;
  readonly messages: Uint8Array;
  /** Of each, in order: how long its message is, what stands before the proof of that, and its date. */
  readonly lengths: readonly number[];
  readonly proofsAt: readonly number[];
  readonly dates: readonly string[];
}

/**
 * Signs while the caller goes on, and answers with receipts as they are stored. libuv's threads would do it, too, but a signature costs half of itself
 * again to be asked for there.
 */
class SealingThread {
  readonly #thread = new AskedThread<SealOrder, SealedBytes>(new URL("./sealing-worker.ts", import.meta.url));
  #known: KeyObject | undefined;

  seal({ key, publicKey }: Keys, receipts: readonly FilledReceipt[], slab?: Utf8Slab): Promise<SealedBytes> {
    const each = receipts.map(({ message }) => message);
    const lengths = each.map(({ length }) => length);
    const messages = slab?.handOver(each) ?? inOnePiece(each);
    const proofsAt = receipts.map(({ proofAt }) => proofAt);
    const dates = receipts.map(({ receipt }) => receipt.issuanceDate);
    // To hand over a key costs half of a signature.
    const isKnown = this.#thread.isRunning && this.#known === key;
    this.#known = key;
    const keys = isKnown ? { publicKey } : { publicKey, key };
    return this.#thread.ask({ ...keys, messages, lengths, proofsAt, dates }, [messages.buffer]);
  }
}

/** One of this process for all ledgers. */
const thread = new SealingThread();

export function sealOnThread(keys: Keys, receipts: readonly FilledReceipt[], slab?: Utf8Slab): Promise<SealedBytes> {
  return thread.seal(keys, receipts, slab);
}
