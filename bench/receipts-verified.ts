// `npm run bench:receipts`: what checking a receipt costs beyond its signature, in a process that verifies and records nothing.
// A number as argument is how many receipts.
import { sign, verify } from "node:crypto";
import { LedgerVerifier, type Precheck, type ReceiptCrypto, trustKey } from "@countersign/receipts";
import { nodeCrypto, pooledNodeCrypto } from "@countersign/receipts/node";
import { PrecheckPool } from "../packages/cli/src/receipts/precheck-pool.ts";
import { compareRates } from "./compare-rates.ts";
import { Figures } from "./figures.ts";
import { messagesOf, privateKey, publicKey, signer, writeReceipts } from "./sample-receipts.ts";

const COUNT = Number(process.argv[2] ?? 6_000);
const BATCH = 128;
const AHEAD = 2;

const crypto = nodeCrypto();
const keys = trustKey(signer.publicKey);

async function check(raws: readonly Uint8Array[], by: ReceiptCrypto): Promise<void> {
  const verifier = new LedgerVerifier({ crypto: by, keys, bytes: "canonical" });
  for (const raw of raws) {
    const full = verifier.feed(raw);
    if (full !== undefined) await full;
  }
  assertWhole((await verifier.finish()).isWhole);
}

/** As `receipts verify` does it: batches ahead for each thread, and the ledger's own check goes through their answers in order. */
async function checkWithWorkers(raws: readonly Uint8Array[], pool: PrecheckPool): Promise<void> {
  const verifier = new LedgerVerifier({ crypto, keys, bytes: "canonical" });
  const asked: { readonly batch: readonly Uint8Array[]; readonly answers: Promise<Precheck[]> }[] = [];
  const take = async () => {
    const next = asked.shift();
    for (const [at, precheck] of ((await next?.answers) ?? []).entries())
      verifier.feedPrechecked(next?.batch[at] as Uint8Array, precheck);
  };
  for (let from = 0; from < raws.length; from += BATCH) {
    const batch = raws.slice(from, from + BATCH);
    asked.push({ batch, answers: pool.ask(batch, signer.publicKey, "canonical") });
    if (asked.length > AHEAD * pool.width) await take();
  }
  while (asked.length > 0) await take();
  assertWhole((await verifier.finish()).isWhole);
}

function assertWhole(isWhole: boolean): void {
  if (!isWhole) throw new Error("the bench's own ledger isn't whole");
}

const raws = await writeReceipts(COUNT);
const messages = messagesOf(raws);
const signatures = messages.map((message) => sign(null, message, privateKey));
const pool = new PrecheckPool();

const works = {
  "raw verify": () => {
    for (const [at, message] of messages.entries()) verify(null, message, publicKey, signatures[at] as Buffer);
  },
  "verify ledger": () => check(raws, crypto),
  "verify, threads": () => checkWithWorkers(raws, pool),
  "verify, libuv's threads": () => check(raws, pooledNodeCrypto()),
};
// The first round pays for compiling, and isn't counted.
for (const work of Object.values(works)) await work();
const ratio = await compareRates({ count: COUNT, works });
await pool.close();
const startedAt = performance.now();
await writeReceipts(COUNT);
console.log(`create + sign, for comparison: ${Math.round((COUNT / (performance.now() - startedAt)) * 1_000)}/s`);

const figures = new Figures();
figures.atLeast("verify on one core, of raw", ratio("verify ledger", "raw verify") * 100, 80, "%");
// On one core there is nothing to gain.
if (pool.width > 1)
  figures.atLeast(`verify on ${pool.width} threads, of one core`, ratio("verify, threads", "verify ledger"), 1.7, "×");
figures.close();
