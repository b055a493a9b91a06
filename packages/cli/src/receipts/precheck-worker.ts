import { parentPort } from "node:worker_threads";
import { precheckReceipts } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { PrecheckTask } from "./precheck-pool.ts";

const crypto = nodeCrypto();

parentPort?.on("message", async ({ bytes, lengths, publicKey, rule }: PrecheckTask) => {
  let at = 0;
  const raws = lengths.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  parentPort?.postMessage(await precheckReceipts(raws, crypto, { publicKey, bytes: rule }));
});
