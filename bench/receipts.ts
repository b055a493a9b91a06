// `npm run bench:receipts`: what receipts cost beyond their signatures, as ratios in one run.
// A number as argument is how many receipts.
import { createPrivateKey, createPublicKey, randomUUID, sign, verify } from "node:crypto";
import {
  createReceipt,
  didOfKey,
  LedgerVerifier,
  type Precheck,
  type ReceiptCrypto,
  type ReceiptDraft,
  type ReceiptHead,
  readReceipt,
  Sealer,
  trustKey,
} from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, pooledNodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { PrecheckPool } from "../packages/cli/src/receipts/precheck-pool.ts";
import { openFrameBench } from "./record-frames.ts";
import { median } from "./rounds.ts";

const COUNT = Number(process.argv[2] ?? 6_000);
const ROUNDS = 5;
const WARM_FRAMES = 30_000;
const BATCH = 128;
const AHEAD = 2;

const { privatePem, publicPem } = generateSigningKey();
const signer = signerFromPem(privatePem);
const crypto = nodeCrypto();
const keys = trustKey(signer.publicKey);
const issuerId = didOfKey(signer.publicKey);

/** A decision as the recorder writes it: about 1.5 kB. */
function draft(): ReceiptDraft {
  const at = new Date().toISOString();
  return {
    id: `urn:receipt:${randomUUID()}`,
    issuer: {
      id: issuerId,
      type: "AIAgent",
      session_id: "5f0c5f43-6b0f-4d9b-8f0e-0f6f6f1d9a11",
      runtime: {
        channel: "exec",
        enforcement: "enforced",
        decision: {
          verdict: "allow",
          by: "person",
          person: "ann",
          device: "phone",
          assurance: "passkey",
          effects: ["write", "network"],
        },
        policy: `sha256:${"5a".repeat(32)}`,
        jail: "bubblewrap",
      },
    },
    issuanceDate: at,
    credentialSubject: {
      principal: { id: "did:user:ann", type: "HumanPrincipal" },
      action: {
        id: `act_${randomUUID()}`,
        type: "system.command.execute",
        risk_level: "high",
        target: { system: "bash", resource: "/home/ann/work/project" },
        parameters_hash: `sha256:${"ab".repeat(32)}`,
        timestamp: at,
      },
      outcome: { status: "pending" },
      correlation_id: "0197a7a0-0000-7000-8000-000000000001",
    },
  };
}
async function write(count: number): Promise<Uint8Array[]> {
  const sealer = new Sealer(signer);
  const raws: Uint8Array[] = [];
  let head: ReceiptHead | null = null;
  for (let number = 0; number < count; number += 1) {
    const unsealed = createReceipt(draft(), { chainId: "root", head }, crypto);
    head = unsealed.head;
    raws.push(await sealer.seal(unsealed));
  }
  return raws;
}

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

async function rate(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (COUNT / (performance.now() - started)) * 1_000;
}

const raws = await write(COUNT);
const messages = raws.map((raw) => {
  const read = readReceipt(raw);
  if (read.kind !== "receipt") throw new Error(read.reason);
  return Buffer.from(read.message);
});
const signatures = messages.map((message) => sign(null, message, privatePem));
const [privateKey, publicKey] = [createPrivateKey(privatePem), createPublicKey(publicPem)];
const frames = await openFrameBench();
const pool = new PrecheckPool();

const MEASURES: Record<string, () => unknown> = {
  "raw sign": () => {
    for (const message of messages) sign(null, message, privateKey);
  },
  "create + sign": () => write(COUNT),
  "durable, 64 emitters": () => frames.record(COUNT, 1),
  "… of 64 sandboxes": () => frames.record(COUNT, 64),
  "raw verify": () => {
    for (const [at, message] of messages.entries()) verify(null, message, publicKey, signatures[at] as Buffer);
  },
  "verify ledger": () => check(raws, crypto),
  "verify, pool": () => check(raws, pooledNodeCrypto()),
  "verify, threads": () => checkWithWorkers(raws, pool),
};

const results: Record<string, number[]> = Object.fromEntries(Object.keys(MEASURES).map((name) => [name, []]));
// The first round pays for compiling, and isn't counted. What a recorder does is compiled in steps, the last after tens of thousands of frames: it runs
// for weeks, so that is where it is measured.
for (const work of Object.values(MEASURES)) await work();
await frames.record(WARM_FRAMES, 1);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, work] of Object.entries(MEASURES)) results[name]?.push(await rate(work));
}
await pool.close();
await frames.close();

const of = (name: string) => median(results[name] ?? []);
console.log(
  `\n${COUNT} receipts of ${Math.round(raws.reduce((sum, raw) => sum + raw.length, 0) / COUNT)} bytes, median of ${ROUNDS}\n`,
);
for (const name of Object.keys(MEASURES))
  console.log(`${name.padEnd(20)} ${Math.round(of(name)).toString().padStart(7)}/s`);
const ratio = (one: string, other: string) =>
  median((results[one] ?? []).map((value, round) => value / (results[other]?.[round] ?? Number.NaN)));
const percent = (value: number) => `${Math.round(value * 100)} %`;
console.log(`\ncreate + sign, of raw signing: ${percent(ratio("create + sign", "raw sign"))}`);
console.log(`durable, of raw signing:       ${percent(ratio("durable, 64 emitters", "raw sign"))} (to reach: 65 %)`);
console.log(`verify on one core, of raw:    ${percent(ratio("verify ledger", "raw verify"))} (to reach: 80 %)`);
console.log(
  `on ${pool.width} threads, of one core:   ${ratio("verify, threads", "verify ledger").toFixed(2)}× (to reach on 2 cores: 1.7×)`,
);
console.log(`on the pool, of one core:      ${ratio("verify, pool", "verify ledger").toFixed(2)}×`);
