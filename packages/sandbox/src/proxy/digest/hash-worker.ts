import { parentPort } from "node:worker_threads";
import type { FilledBlock } from "./block.ts";
import { HashBlocks } from "./hash-blocks.ts";

// The side of `HashThread` that hashes.

const blocks = new HashBlocks();
parentPort?.on("message", (block: FilledBlock) => {
  const hashed = blocks.hash(block);
  parentPort?.postMessage(hashed, [hashed.memory]);
});
// Until this is said, nothing is handed over.
parentPort?.postMessage(null);
