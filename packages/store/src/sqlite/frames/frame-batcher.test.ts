import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { type LedgerReport, LedgerVerifier, ownDidKey } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { emittedDraft, frameRecord } from "../../../test/suite/sample-frames.ts";
import { append, failsWith } from "../../../test/suite/samples.ts";
import { tempDirectory, testKeys } from "../../../test/temp-store.ts";
import { connectToWrite } from "../base/connect.ts";
import { Statements } from "../base/statements.ts";
import { GroupCommit } from "../commit/group-commit.ts";
import { treeHeadAt } from "../ledger/append-receipts.ts";
import { migrate } from "../migrate.ts";
import { FrameBatcher } from "./frame-batcher.ts";
import { RecordingThread } from "./recording-thread.ts";

function open(t: TestContext, where: "here" | "on a thread", maxHeads?: number) {
  const path = join(tempDirectory(t), "a.db");
  const db = connectToWrite(path);
  const thread = where === "here" ? undefined : new RecordingThread(path);
  t.after(async () => {
    await thread?.close();
    db.close();
  });
  migrate(db);
  // A disk that fails when it comes to one kind of receipt.
  db.exec(`CREATE TRIGGER failing BEFORE INSERT ON receipt WHEN NEW.type = 'mcp.fails'
    BEGIN SELECT RAISE(ABORT, 'the disk fails'); END`);
  const [sql, keys] = [new Statements(db), testKeys()];
  const commits = new GroupCommit({ db, sql, keys });
  return { db, commits, line: new FrameBatcher({ sql, keys, commits, thread }, maxHeads) };
}

for (const where of ["here", "on a thread"] as const) {
  test(`a batch that fails, written ${where}, takes those with it that are in it; those linked after it are linked again, in their order`, async (t) => {
    const { db, line } = open(t, where);
    for (const chain of ["uid:1", "uid:2"] as const) await line.add(frameRecord({ chain }));
    const sent = Array.from({ length: 300 }, (_, n) =>
      frameRecord({
        chain: n % 2 === 0 ? "uid:1" : "uid:2",
        idempotencyKey: `k-${n}`,
        receipts: [emittedDraft(n === 5 ? "mcp.fails" : "mcp.tool")],
      }),
    );
    const settled = await Promise.allSettled(sent.map((frame) => line.add(frame)));
    const kept = sent.filter((_, n) => settled[n]?.status === "fulfilled");
    assert.ok(kept.length > 0 && kept.length < sent.length);
    for (const one of settled) if (one.status === "rejected") assert.ok(failsWith("FAILED")(one.reason));

    const rows = db.prepare("SELECT raw FROM receipt ORDER BY seq").all();
    assert.equal((await verify(db)).fault, null);
    const ids = rows.map(({ raw }) => (JSON.parse(String(raw)) as { id: string }).id);
    for (const chain of ["uid:1", "uid:2"]) {
      const wanted = kept.filter((frame) => frame.chain === chain).map(({ receipts }) => receipts[0].id);
      assert.deepEqual(
        ids.filter((id) => wanted.includes(id)),
        wanted,
      );
    }
    // Those that failed can be sent again; those that didn't are found.
    const again = await Promise.all(sent.map((frame) => line.add({ ...frame, receipts: [emittedDraft()] })));
    assert.deepEqual(
      again.map(({ kind }) => kind),
      settled.map(({ status }) => (status === "fulfilled" ? "repeated" : "recorded")),
    );
    await line.settle();
  });
}

test("what the hub commits while a thread writes is in its place: one order, no gap, nothing told before it is there", async (t) => {
  const { db, line, commits } = open(t, "on a thread");
  const other = new DatabaseSync(db.location() ?? "", { readOnly: true });
  t.after(() => other.close());
  const hashOf = other.prepare("SELECT hash FROM receipt WHERE seq = ?");
  let appended = 0;
  commits.onAppend(() => {
    appended += 1;
  });
  await line.add(frameRecord());
  const sending = Promise.all(
    Array.from({ length: 64 }, async (_, emitter) => {
      for (let n = 0; n < 20; n += 1) {
        const recorded = await line.add(frameRecord({ idempotencyKey: `${emitter}-${n}`, receipts: [emittedDraft()] }));
        assert.ok(recorded.kind === "recorded");
        assert.equal(hashOf.get(recorded.seq)?.hash, recorded.hash);
      }
    }),
  );
  let isSending = true;
  const committing = Promise.all(
    Array.from({ length: 3 }, async (_, n) => {
      for (let at = 0; isSending || at < 5; at += 1) {
        const commit = await commits.add([append({ n, at })]);
        assert.ok(commit.ok);
        for (const { seq, hash } of commit.entries) assert.equal(hashOf.get(seq)?.hash, hash);
      }
    }),
  );
  await sending;
  isSending = false;
  await committing;
  assert.ok(appended > 0);
  const rows = db.prepare("SELECT seq, raw FROM receipt ORDER BY seq").all();
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    rows.map((_, at) => at + 1),
  );
  const report = await verify(db);
  assert.equal(report.fault, null);
  assert.deepEqual(treeHeadAt(new Statements(db), rows.length).root, report.tree.root);
});

test("what the hub commits waits for what a thread has, and not for all that emitters send", async (t) => {
  const { line, commits } = open(t, "on a thread");
  await line.add(frameRecord());
  let left = 3_000;
  const frames = Array.from({ length: left }, async (_, n) => {
    await line.add(frameRecord({ idempotencyKey: String(n), receipts: [emittedDraft()] }));
    left -= 1;
  });
  await frames[0];
  const commit = await commits.add([append({})]);
  assert.ok(commit.ok);
  assert.ok(left > 1_000, `${left} frames were left`);
  await Promise.all(frames);
});

test("threads that end in the middle of it fail what they had; the next ones go on from what is there", async (t) => {
  const { db, line } = open(t, "on a thread");
  await line.add(frameRecord());
  const send = (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, n) =>
        line.add(frameRecord({ idempotencyKey: `k-${n}`, receipts: [emittedDraft()] })),
      ),
    );
  for (const one of await send(100)) assert.equal(one.status, "fulfilled");
  const { postMessage } = Worker.prototype;
  const ending = t.mock.method(Worker.prototype, "postMessage", function (this: Worker, order: unknown) {
    // The first one before it has begun, the others wherever that finds them.
    if (ending.mock.callCount() === 0) void this.terminate();
    postMessage.call(this, order);
    void this.terminate();
  });
  const settled = await send(200);
  assert.ok(settled.some(({ status }) => status === "rejected"));
  for (const [n, one] of settled.entries()) {
    if (one.status === "rejected") assert.ok(n >= 100 && failsWith("FAILED")(one.reason));
    else
      assert.ok(one.value.kind !== "refused" && db.prepare("SELECT 1 FROM receipt WHERE hash = ?").get(one.value.hash));
  }
  ending.mock.restore();
  for (const one of await send(200)) assert.equal(one.status, "fulfilled");
  assert.equal((await verify(db)).fault, null);
  assert.equal(db.prepare("SELECT count(*) AS n FROM receipt").get()?.n, 202);
});

test("chains are forgotten between batches, never in the middle of one that goes on from them", async (t) => {
  const { db, line } = open(t, "on a thread", 4);
  const to = (chain: number) => line.add(frameRecord({ chain: `uid:${chain}` }));
  const chains = Array.from({ length: 12 }, (_, chain) => chain);
  for (const chain of chains) await to(chain);
  for (let round = 0; round < 10; round += 1)
    await Promise.all(chains.flatMap((chain) => [to(0), to(chain), to(round), to(0)]));
  assert.equal((await verify(db)).fault, null);
});

async function verify(db: DatabaseSync): Promise<LedgerReport> {
  const verifier = new LedgerVerifier({ crypto: nodeCrypto(), keys: ownDidKey, bytes: "canonical" });
  for (const { raw } of db.prepare("SELECT raw FROM receipt ORDER BY seq").all())
    await verifier.feed(Buffer.from(String(raw)));
  return verifier.finish();
}
