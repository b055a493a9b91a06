import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { append, failsWith, keep, proposal, wholeReceipts } from "../../../test/suite/samples.ts";
import { tempDirectory, testKeys } from "../../../test/temp-store.ts";
import { checkLedger } from "../../ledger/check-ledger.ts";
import { connectToWrite } from "../base/connect.ts";
import { Statements } from "../base/statements.ts";
import { migrate } from "../migrate.ts";
import { SqliteStore } from "../sqlite-store.ts";
import { GroupCommit } from "./group-commit.ts";

function connected(path: string): DatabaseSync {
  const db = connectToWrite(path);
  migrate(db);
  return db;
}

test("nothing is told before the transaction is committed", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const db = connected(path);
  const store = new SqliteStore(db, { keys: testKeys() });
  const other = new DatabaseSync(path, { readOnly: true });
  const count = other.prepare("SELECT count(*) AS n FROM receipt");
  const seen = await Promise.all(Array.from({ length: 5 }, () => store.commit([append()]).then(() => count.get()?.n)));
  assert.deepEqual(seen, [6, 6, 6, 6, 6]);
  other.close();
  await store.close();
});

test("a full queue says BUSY and takes nothing of that commit", async () => {
  const db = connected(":memory:");
  const commits = new GroupCommit({ db, sql: new Statements(db), keys: testKeys() }, 3);
  const settled = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => commits.add([append({ n })])));
  assert.deepEqual(
    settled.map((each) => each.status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"],
  );
  await assert.rejects(Promise.reject((settled[3] as PromiseRejectedResult).reason), failsWith("BUSY"));
  assert.equal(db.prepare("SELECT count(*) AS n FROM receipt").get()?.n, 4);
  db.close();
});

test("what is to be committed waits until all that is written aside is over", async () => {
  const db = connected(":memory:");
  const commits = new GroupCommit({ db, sql: new Statements(db), keys: testKeys() });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asides = [commits.aside(() => first.promise), commits.aside(() => second.promise)];
  let isCommitted = false;
  const committed = commits.add([append({})]).then(() => {
    isCommitted = true;
  });
  first.resolve();
  await asides[0];
  // Whatever was due by now has had its turn.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([isCommitted, commits.isWaitedFor], [false, true]);
  second.resolve();
  await Promise.all([...asides, committed]);
  assert.equal(isCommitted, true);
  db.close();
});

test("more than one batch keeps the order", async () => {
  const store = new SqliteStore(connected(":memory:"), { keys: testKeys() });
  const commits = await Promise.all(Array.from({ length: 2_500 }, (_, n) => keep(store, append({ n }))));
  assert.deepEqual(
    commits.map(([entry]) => entry?.seq),
    commits.map((_, n) => n + 2),
  );
  await store.close();
});

test("while another program writes, commits fail with BUSY; later ones are kept and the chain is whole", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const db = connected(path);
  db.exec("PRAGMA busy_timeout = 0");
  const store = new SqliteStore(db, { keys: testKeys() });
  await keep(store, append({ n: 1 }));
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const settled = await Promise.allSettled([store.commit([append()]), store.commit([append()])]);
  for (const each of settled) {
    await assert.rejects(Promise.reject((each as PromiseRejectedResult).reason), failsWith("BUSY"));
  }
  other.exec("ROLLBACK");
  other.close();
  await keep(store, append({ n: 2 }));
  const check = await checkLedger(wholeReceipts(store));
  assert.equal(check.whole && check.count, 3);
  await store.close();
});

test("a database at its size limit fails the whole batch with FULL and loses nothing", async (t) => {
  const db = connected(join(tempDirectory(t), "x.db"));
  const store = new SqliteStore(db, { keys: testKeys() });
  await keep(store, append({ n: 1 }));
  const pages = Number(db.prepare("PRAGMA page_count").get()?.page_count);
  db.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const settled = await Promise.allSettled([
    store.commit([append({ n: 2 })]),
    store.commit([{ op: "insert-proposal", proposal: proposal({ command: "x".repeat(100_000) }) }, append({ n: 3 })]),
  ]);
  const rejected = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  assert.ok(rejected.length > 0);
  for (const reason of rejected) assert.equal(reason.code, "FULL");
  db.exec("PRAGMA max_page_count = 1000000");
  await keep(store, append({ n: 4 }));
  const check = await checkLedger(wholeReceipts(store));
  assert.equal(check.whole && check.count, 5 - rejected.length);
  assert.equal(await store.proposal("k1"), null);
  await store.close();
});
