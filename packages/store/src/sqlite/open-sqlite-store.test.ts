import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { append, approval, failsWith, keep, proposal } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

test("an absent or empty file becomes a database that only its owner can read", async (t) => {
  const directory = tempDirectory(t);
  const empty = join(directory, "empty.db");
  writeFileSync(empty, "", { mode: 0o644 });
  for (const path of [empty, join(directory, "absent.db")]) {
    const store = await openSqliteStore(path);
    await keep(store, append());
    const modes = ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o600, 0o600]);
    await store.close();
  }
  assert.deepEqual(readdirSync(directory).sort(), ["absent.db", "empty.db", "keys"]);
});

test("a loose mode from elsewhere is tightened, on what a crash left too", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const first = await openSqliteStore(path);
  await keep(first, append());
  // Still open: -wal and -shm are there as after a crash.
  for (const suffix of ["", "-wal", "-shm"]) chmodSync(path + suffix, 0o666);
  const second = await openSqliteStore(path);
  const modes = ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
  assert.deepEqual(modes, [0o600, 0o600, 0o600]);
  await second.close();
  await first.close();
});

test("a directory that isn't there is not made", async (t) => {
  const directory = join(tempDirectory(t), "none");
  await assert.rejects(openSqliteStore(join(directory, "x.db")), failsWith("UNWRITABLE"));
  assert.equal(existsSync(directory), false);
});

test("a directory in the file's place is refused and keeps its mode", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  mkdirSync(path, { mode: 0o755 });
  await assert.rejects(openSqliteStore(path), failsWith("UNWRITABLE"));
  assert.equal(statSync(path).mode & 0o777, 0o755);
});

test("what this user may not write is refused at once", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  await (await openSqliteStore(path)).close();
  chmodSync(path, 0o444);
  chmodSync(directory, 0o555);
  // Permissions don't bind root, so a run as root plays nobody for a moment.
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    await assert.rejects(openSqliteStore(path), failsWith("UNWRITABLE"));
    await assert.rejects(openSqliteStore(join(directory, "new.db")), failsWith("UNWRITABLE"));
  } finally {
    if (root) process.seteuid?.(0);
    chmodSync(directory, 0o755);
  }
});

test("a row that another tool has spoilt doesn't hide the others", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  for (const n of [1, 2, 3, 4, 5]) {
    await keep(store, { op: "insert-proposal", proposal: proposal({ key: `k${n}` }) });
    await keep(store, { op: "insert-approval", approval: approval({ id: `a${n}` }) });
  }
  const tool = new DatabaseSync(path);
  tool.exec(`UPDATE approval SET expires_at_ms = 'soon' WHERE id = 'a1';
    UPDATE approval SET expires_at_ms = 9e999 WHERE id = 'a2';
    UPDATE approval SET expires_at_ms = NULL, payload = '[]' WHERE id = 'a3';
    UPDATE approval SET payload = '{', expires_at_ms = 9223372036854775807 WHERE id = 'a4';
    UPDATE proposal SET env = '{"A":1}' WHERE key = 'k1';
    UPDATE proposal SET details = 'null' WHERE key = 'k2';
    UPDATE proposal SET env = '' WHERE key = 'k3';
    UPDATE proposal SET outcome = 'x' WHERE key = 'k4';`);
  tool.close();
  assert.deepEqual(await store.pendingApprovals({ limit: 10 }), [
    approval({ id: "a1", expiresAtMs: Number.NaN }),
    approval({ id: "a2", expiresAtMs: Number.NaN }),
    approval({ id: "a3", expiresAtMs: Number.NaN, payload: {} }),
    approval({ id: "a4", expiresAtMs: 2 ** 63, payload: {} }),
    approval({ id: "a5" }),
  ]);
  assert.deepEqual(await store.openProposals(), [
    ...["k1", "k2", "k3"].map((key) => proposal({ key, env: {}, details: {} })),
    proposal({ key: "k4", env: {}, details: {}, outcome: {} }),
    proposal({ key: "k5" }),
  ]);
  await store.close();
  // Such rows are no reason to refuse the database either.
  await (await openSqliteStore(path)).close();
});

test("the ledger can't be changed by a statement of ours", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await keep(store, append({ n: 1 }), append({ n: 2 }));
  await store.close();
  const db = new DatabaseSync(path);
  const columns = "(seq, chain_id, chain_seq, hash, raw, type, at_ms)";
  for (const sql of [
    "UPDATE receipt SET raw = '{}' WHERE seq = 1",
    "DELETE FROM receipt WHERE seq = 2",
    "UPDATE tree_node SET hash = x'00'",
    "DELETE FROM tree_node",
    `INSERT OR REPLACE INTO receipt ${columns} VALUES (2, 'x', 9, 'x', '{}', 'decided', 0)`,
    `INSERT INTO receipt ${columns} VALUES (5, 'x', 9, 'x', '{}', 'decided', 0)`,
  ]) {
    assert.throws(() => db.exec(sql), /the ledger/, sql);
  }
  db.close();
});
