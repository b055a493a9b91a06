import { sign } from "node:crypto";
import { Sealer } from "@countersign/receipts";
import { answerOrders } from "../threads/answer-orders.ts";
import { inOnePiece, type SealedBytes } from "./sealed-bytes.ts";
import type { SealOrder } from "./sealing-thread.ts";

/** To write a key's name takes longer than to sign. Only the last: a key that was given up isn't to stay in memory. */
let last: { readonly name: string; readonly sealer: Sealer } | undefined;

answerOrders(sealAll, { transfers: ({ bytes }) => [bytes.buffer] });

function sealAll({ messages, lengths, proofsAt, dates, ...keys }: SealOrder): SealedBytes {
  const sealer = sealerOf(keys);
  let from = 0;
  const raws = lengths.map((length, at) => {
    const message = messages.subarray(from, from + length);
    from += length;
    return sealer.sealNow({ message, proofAt: proofsAt[at] ?? 0, receipt: { issuanceDate: dates[at] ?? "" } });
  });
  return inOnePiece(raws);
}

function sealerOf({ key, publicKey }: Pick<SealOrder, "key" | "publicKey">): Sealer {
  const name = Buffer.from(publicKey).toString("hex");
  if (last?.name === name) return last.sealer;
  if (key === undefined) throw new Error("the key that is to sign isn't here");
  last = { name, sealer: new Sealer({ publicKey, sign: (message) => sign(null, message, key) }) };
  return last.sealer;
}
