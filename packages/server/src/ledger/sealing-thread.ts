import type { KeyObject } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { UnsealedReceipt } from "@countersign/receipts";

/** Receipts to be signed with one key. A hundred buffers cost more to hand over than one that holds them all. */
export interface SealOrder {
  readonly id: number;
  readonly key: KeyObject;
  readonly publicKey: Uint8Array;
  readonly messages: Uint8Array;
  /** Of each, in order: how long its message is, what stands before the proof of that, and its date. */
  readonly lengths: readonly number[];
  readonly proofsAt: readonly number[];
  readonly dates: readonly string[];
}

/** As they are stored; or why not. */
export type SealReply =
  | { readonly id: number; readonly raws: readonly string[] }
  | { readonly id: number; readonly error: unknown };

interface Pending {
  resolve(raws: readonly string[]): void;
  reject(cause: unknown): void;
}

const pending = new Map<number, Pending>();
let thread: Worker | undefined;
let next = 0;

/**
 * Signs while the caller goes on: one thread of this process for all ledgers. libuv's would do it, too, but a signature costs half of itself
 * again to be asked for there.
 */
export function sealOnThread(
  { key, publicKey }: Pick<SealOrder, "key" | "publicKey">,
  receipts: readonly UnsealedReceipt[],
): Promise<readonly string[]> {
  thread ??= open();
  next += 1;
  const lengths = receipts.map(({ message }) => message.length);
  const messages = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const { message } of receipts) {
    messages.set(message, at);
    at += message.length;
  }
  const order: SealOrder = {
    ...{ id: next, key, publicKey, messages, lengths },
    proofsAt: receipts.map(({ proofAt }) => proofAt),
    dates: receipts.map(({ receipt }) => receipt.issuanceDate),
  };
  // A process doesn't end before what it waits for.
  thread.ref();
  thread.postMessage(order, [messages.buffer]);
  return new Promise((resolve, reject) => pending.set(order.id, { resolve, reject }));
}

function open(): Worker {
  const opened = new Worker(new URL("./sealing-worker.ts", import.meta.url), { execArgv: [] });
  opened.on("message", (reply: SealReply) => {
    const asked = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) opened.unref();
    if ("raws" in reply) asked?.resolve(reply.raws);
    else asked?.reject(reply.error);
  });
  let why: unknown;
  opened.on("error", (cause) => {
    why = cause;
  });
  // The next order gets a new one.
  opened.on("exit", () => {
    thread = undefined;
    const error = new Error("The thread that signs has ended", { cause: why });
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  });
  return opened;
}
