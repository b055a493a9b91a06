import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { append, collect, failsWith, keep } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import { openSqliteStore, readLedger, readReceipts } from "./open-sqlite-store.ts";

test("the ledger is read while a hub has it open and goes on writing", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await keep(store, ...Array.from({ length: 1_500 }, (_, n) => append({ n })));
  let read = 0;
  for await (const entry of readLedger(path)) {
    read += 1;
    assert.equal(entry.seq, read);
    if (read === 10) await keep(store, append({ late: true }));
  }
  assert.equal(read, 1_502);
  const check = await checkLedger(readReceipts(path));
  assert.equal(check.whole && check.count, 1_502);
  await store.close();
});

test("a closed database and a backup are read, and one may stop halfway", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  const backup = join(directory, "backup.db");
  const store = await openSqliteStore(path);
  const entries = await keep(store, append({ n: 1 }), append({ n: 2 }));
  await store.backup(backup);
  await store.close();
  for await (const entry of readLedger(path)) {
    assert.equal(entry.type, "ledger-opened");
    break;
  }
  for (const file of [path, backup]) assert.deepEqual((await collect(readLedger(file))).slice(1), entries);
});

test("what can't be read says why, and nothing is made", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  await assert.rejects(collect(readLedger(path)), failsWith("UNWRITABLE"));
  assert.equal(existsSync(path), false);
  writeFileSync(path, "garbage".repeat(1_000));
  await assert.rejects(collect(readLedger(path)), failsWith("CORRUPT"));
});

test("an entry that was made unreadable or changed is found, whatever it was before", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await keep(store, append({ n: 1 }), append({ n: 2 }), append({ n: 3 }));
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(`DROP TRIGGER receipt_no_update; UPDATE receipt SET raw = replace(raw, '"n":2', '"n":7') WHERE seq = 3`);
  const check = await checkLedger(readReceipts(path));
  assert.deepEqual(
    [check.whole, !check.whole && check.code, !check.whole && check.seq],
    [false, "INVALID_SIGNATURE", 3],
  );
  db.exec("UPDATE receipt SET raw = 'x' WHERE seq = 3");
  await assert.rejects(collect(readLedger(path)), failsWith("CORRUPT"));
  db.close();
});
