import { sign } from "node:crypto";
import { Sealer } from "@countersign/receipts";
import { answerOrders } from "../threads/answer-orders.ts";
import type { SealOrder } from "./sealing-thread.ts";

/** To write a key's name takes longer than to sign. Only the last: a key that was given up isn't to stay in memory. */
let last: { readonly name: string; readonly sealer: Sealer } | undefined;

answerOrders(sealAll);

function sealAll({ messages, lengths, proofsAt, dates, ...keys }: SealOrder): string[] {
  const sealer = sealerOf(keys);
  let from = 0;
  return lengths.map((length, at) => {
    const message = messages.subarray(from, from + length);
    from += length;
    const raw = sealer.sealNow({ message, proofAt: proofsAt[at] ?? 0, receipt: { issuanceDate: dates[at] ?? "" } });
    return Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();
  });
}

function sealerOf({ key, publicKey }: Pick<SealOrder, "key" | "publicKey">): Sealer {
  const name = Buffer.from(publicKey).toString("hex");
  if (last?.name !== name)
    last = { name, sealer: new Sealer({ publicKey, sign: (message) => sign(null, message, key) }) };
  return last.sealer;
}
