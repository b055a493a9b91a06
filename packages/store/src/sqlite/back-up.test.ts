import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { append, failsWith, keep, proposal } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

test("a backup is one private file that opens as a store of its own", async (t) => {
  const directory = tempDirectory(t);
  const store = await openSqliteStore(join(directory, "x.db"));
  const entries = await keep(store, append(), { op: "insert-proposal", proposal: proposal() });
  const target = join(directory, "backup.db");
  await store.backup(target);
  await keep(store, append({ after: true }));
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith("backup")),
    ["backup.db"],
  );
  assert.equal(statSync(target).mode & 0o777, 0o600);
  const copy = await openSqliteStore(target);
  assert.deepEqual(await copy.ledger({ afterSeq: 1, limit: 10 }), entries);
  assert.deepEqual(await copy.proposal("k1"), proposal());
  await keep(copy, append({ elsewhere: true }));
  await copy.close();
  await store.close();
});

test("what is at the target stays, and a target that can't be made says so", async (t) => {
  const directory = tempDirectory(t);
  const store = await openSqliteStore(join(directory, "x.db"));
  const target = join(directory, "precious");
  writeFileSync(target, "precious");
  await assert.rejects(store.backup(target), failsWith("EXISTS"));
  assert.equal(readFileSync(target, "utf8"), "precious");
  await assert.rejects(store.backup(join(directory, "none", "backup.db")), failsWith("UNWRITABLE"));
  await store.close();
});
