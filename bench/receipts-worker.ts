import { parentPort } from "node:worker_threads";
import { precheckReceipts } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";

const crypto = nodeCrypto();

parentPort?.on("message", async ({ raws, publicKey }: { raws: Uint8Array[]; publicKey: Uint8Array }) => {
  parentPort?.postMessage(await precheckReceipts(raws, crypto, { publicKey, bytes: "canonical" }));
});
