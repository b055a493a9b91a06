import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createReceipt, type ReceiptDraft, type UnsealedReceipt } from "@countersign/receipts";
import { generateSigningKey, nodeCrypto } from "@countersign/receipts/node";
import { failsWith } from "../../../test/suite/samples.ts";
import { tempDirectory } from "../../../test/temp-store.ts";
import { keysFrom, type LedgerKeys } from "../../ledger/ledger-keys.ts";
import { connectToWrite } from "../base/connect.ts";
import type { LinkedReceipt } from "../base/receipt-row.ts";
import { migrate } from "../migrate.ts";
import { RecordingThread } from "./recording-thread.ts";

function newKeys(): LedgerKeys {
  return keysFrom(generateSigningKey().privatePem, { nextFingerprint: `sha256:${"0".repeat(64)}`, chainPart: "" });
}

function receipt(name: string): UnsealedReceipt {
  const at = "2026-01-02T03:04:05.678Z";
  const draft: ReceiptDraft = {
    id: "urn:receipt:0197a7a0-0000-7000-8000-000000000001",
    issuer: { id: "did:key:z6Mk", runtime: { channel: name } },
    issuanceDate: at,
    credentialSubject: {
      principal: { id: "did:user:ann" },
      action: {
        id: "act_0197a7a0-0000-7000-8000-000000000002",
        type: "system.command.execute",
        risk_level: "high",
        timestamp: at,
      },
      outcome: { status: "success" },
    },
  };
  return createReceipt(draft, { chainId: "root", head: null }, nodeCrypto());
}

/** In some chain, as its receipt of this number. */
function linked(unsealed: UnsealedReceipt, sequence: number, chainId = "root"): LinkedReceipt {
  const row = { type: "system.command.execute", sessionId: null, proposalKey: null, atMs: 1, emitter: "uid:1" };
  return { unsealed, placed: { ...row, idempotencyKey: null, chainId, sequence, hash: unsealed.hash } };
}

function open(t: TestContext) {
  const path = join(tempDirectory(t), "a.db");
  const db = connectToWrite(path);
  migrate(db);
  const thread = new RecordingThread(path);
  t.after(async () => {
    await thread.close();
    db.close();
  });
  const write = (keys: LedgerKeys, receipts: readonly LinkedReceipt[], generation = 0) =>
    thread.write(receipts, { keys, generation });
  return { db, write, thread };
}

function rawsIn(db: DatabaseSync): unknown[] {
  return db
    .prepare("SELECT raw FROM receipt ORDER BY seq")
    .all()
    .map(({ raw }) => raw);
}

function sealed(keys: LedgerKeys, one: UnsealedReceipt): string {
  return Buffer.from(keys.sealer.sealNow(one)).toString();
}

test("what two threads sign is what one would have, in the order in which it was asked for, whatever its letters", async (t) => {
  const { db, write } = open(t);
  const keys = newKeys();
  const receipts = Array.from({ length: 200 }, (_, at) => receipt(`${at} – ü 漢 😀`.slice(0, at + 1).toWellFormed()));
  const placed = receipts.map((one, at) => linked(one, at + 1));
  const batches = Array.from({ length: 4 }, (_, at) => placed.slice(at * 50, (at + 1) * 50));
  assert.deepEqual(await Promise.all(batches.map((batch) => write(keys, batch))), [0, 50, 100, 150]);
  assert.deepEqual(
    rawsIn(db),
    receipts.map((one) => sealed(keys, one)),
  );
});

test("another key's receipts have its signatures, also those that wait meanwhile", async (t) => {
  const { db, write } = open(t);
  const one = receipt("shared");
  const changes = [newKeys(), newKeys(), newKeys()];
  const before = changes.map((keys, at) => write(keys, [linked(one, 1, `a${at}`), linked(one, 1, `b${at}`)]));
  assert.deepEqual(await Promise.all(before), [0, 2, 4]);
  assert.deepEqual(
    rawsIn(db),
    changes.flatMap((keys) => [sealed(keys, one), sealed(keys, one)]),
  );
});

test("one that can't be sealed fails all that is written with it; what follows in its generation hangs in the air", async (t) => {
  const { db, write } = open(t);
  const keys = newKeys();
  const one = receipt("fine");
  const oversize = { ...one, message: new Uint8Array(2 ** 20), proofAt: 0 };
  const failing = write(keys, [linked(one, 1, "a"), linked(oversize, 1, "b")]);
  const after = write(keys, [linked(one, 1, "c")]);
  await assert.rejects(failing, failsWith("FAILED"));
  assert.equal(await after, undefined);
  assert.equal(await write(keys, [linked(one, 1, "c")]), undefined);
  assert.deepEqual(rawsIn(db), []);
  assert.equal(await write(keys, [linked(one, 1)], 1), 0);
  assert.equal(rawsIn(db).length, 1);
});

test("where a key can't sign, nothing is written, and the error says why", async (t) => {
  const { db, write } = open(t);
  const keys = { ...newKeys(), key: generateKeyPairSync("x25519").privateKey };
  const batch = Array.from({ length: 50 }, (_, at) => linked(receipt(String(at)), at + 1));
  await assert.rejects(write(keys, batch), (error: Error) => {
    // Whichever thread came to it first.
    assert.match(`${error.message} ${error.cause}`, /operation not supported for this keytype/);
    return failsWith("FAILED")(error);
  });
  assert.deepEqual(rawsIn(db), []);
});

test("a key that came with what isn't written is the one that signs from then on", async (t) => {
  const { db, write } = open(t);
  const [former, next] = [newKeys(), newKeys()];
  const one = receipt("fine");
  const oversize = { ...one, message: new Uint8Array(2 ** 20), proofAt: 0 };
  const failing = write(former, [linked(oversize, 1, "a")]);
  const loose = write(next, [linked(one, 1, "b")]);
  await assert.rejects(failing, failsWith("FAILED"));
  assert.equal(await loose, undefined);
  const batch = Array.from({ length: 40 }, (_, at) => linked(one, 1, `c${at}`));
  assert.equal(await write(next, batch, 1), 0);
  assert.deepEqual(
    rawsIn(db),
    batch.map(() => sealed(next, one)),
  );
});

test("a thread that ends while it is closed has let go of the database; one that has ended isn't begun again for that", async (t) => {
  const { db, write, thread } = open(t);
  const [keys, one] = [newKeys(), receipt("fine")];
  await write(keys, [linked(one, 1)]);
  const { postMessage } = Worker.prototype;
  const ending = t.mock.method(Worker.prototype, "postMessage", function (this: Worker, order: unknown) {
    void this.terminate();
    postMessage.call(this, order);
  });
  await thread.close();
  await thread.close();
  assert.equal(ending.mock.callCount(), 1);
  ending.mock.restore();
  db.exec("BEGIN EXCLUSIVE; ROLLBACK");
});

test("a process that waits for what its thread writes gets it, and ends by itself", (t) => {
  const path = join(tempDirectory(t), "a.db");
  const url = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const script = `
    const { openSqliteStore } = await import(${url("../open-sqlite-store.ts")});
    const { emittedDraft, frameRecord } = await import(${url("../../../test/suite/sample-frames.ts")});
    const store = await openSqliteStore(${JSON.stringify(path)});
    const record = () => store.record(frameRecord({ receipts: [emittedDraft()] }));
    await record();
    const kinds = (await Promise.all(Array.from({ length: 20 }, record))).map(({ kind }) => kind);
    console.log(kinds.length, ...new Set(kinds));`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    ...{ encoding: "utf8", timeout: 120_000 },
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  assert.deepEqual([stdout, signal], ["20 recorded\n", null], stderr);
});
