import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LedgerVerifier, ownDidKey } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { emittedDraft, frameRecord } from "../suite/sample-frames.ts";
import { failsWith } from "../suite/samples.ts";
import { connectToWrite } from "./connect.ts";
import { FrameLine } from "./frame-line.ts";
import { GroupCommit } from "./group-commit.ts";
import { migrate } from "./migrate.ts";
import { Statements } from "./statements.ts";
import { tempDirectory, testKeys } from "./temp-store.ts";

function open(t: TestContext) {
  const db = connectToWrite(join(tempDirectory(t), "a.db"));
  t.after(() => db.close());
  migrate(db);
  // A disk that fails when it comes to one kind of receipt.
  db.exec(`CREATE TEMP TRIGGER failing BEFORE INSERT ON receipt WHEN NEW.type = 'mcp.fails'
    BEGIN SELECT RAISE(ABORT, 'the disk fails'); END`);
  const [sql, keys] = [new Statements(db), testKeys()];
  return { db, line: new FrameLine({ sql, keys, commits: new GroupCommit({ db, sql, keys }) }) };
}

test("a batch that fails takes those with it that are in it; those linked after it are linked again, in their order", async (t) => {
  const { db, line } = open(t);
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
  const verifier = new LedgerVerifier({ crypto: nodeCrypto(), keys: ownDidKey, bytes: "canonical" });
  for (const { raw } of rows) await verifier.feed(Buffer.from(String(raw)));
  assert.equal((await verifier.finish()).fault, null);
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
