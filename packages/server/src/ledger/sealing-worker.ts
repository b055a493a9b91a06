import { sign } from "node:crypto";
import { Sealer } from "@countersign/receipts";
import { answerOrders } from "../threads/answer-orders.ts";
import { bytesFor, type SealedBytes } from "./sealed-bytes.ts";
import type { SealOrder } from "./sealing-thread.ts";

/** To write a key's name takes longer than to sign. Only the last: a key that was given up isn't to stay in memory. */
let last: { readonly name: string; readonly sealer: Sealer } | undefined;

answerOrders(sealAll, { transfers: ({ bytes }) => [bytes.buffer] });

function sealAll({ messages, lengths, proofsAt, dates, ...keys }: SealOrder): SealedBytes {
  const sealer = sealerOf(keys);
  let from = 0;
  const unsealed = lengths.map((length, at) => {
    const message = messages.subarray(from, from + length);
    from += length;
    return { message, proofAt: proofsAt[at] ?? 0, receipt: { issuanceDate: dates[at] ?? "" } };
  });
  const sealedLengths = unsealed.map((one) => sealer.sealedLength(one));
  const bytes = bytesFor(sealedLengths);
  let into = 0;
  for (const [at, one] of unsealed.entries()) {
    sealer.sealInto(one, bytes, into);
    into += sealedLengths[at] as number;
  }
  return { bytes, lengths: sealedLengths };
}

function sealerOf({ key, publicKey }: Pick<SealOrder, "key" | "publicKey">): Sealer {
  const name = Buffer.from(publicKey).toString("hex");
  if (last?.name === name) return last.sealer;
  if (key === undefined) throw new Error("the key that is to sign isn't here");
  last = { name, sealer: new Sealer({ publicKey, sign: (message) => sign(null, message, key) }) };
  return last.sealer;
}
