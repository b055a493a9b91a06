import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { append, keep, proposal } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { StoreError } from "../ledger/store-error.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const PAGE_SIZE = 4096;

/** A closed database of some dozen pages, in one file. */
async function sampleDatabase(path: string): Promise<Buffer> {
  const store = await openSqliteStore(path);
  for (let n = 0; n < 40; n += 1) {
    const padded = { n, padding: "p".repeat(500) };
    await keep(store, { op: "insert-proposal", proposal: proposal({ key: `k${n}`, details: padded }) }, append(padded));
  }
  await store.close();
  return readFileSync(path);
}

async function refusedUntouched(
  path: string,
  content: Buffer,
  code: StoreError["code"] = "CORRUPT",
): Promise<StoreError> {
  writeFileSync(path, content);
  const error = await openSqliteStore(path).then(
    () => assert.fail("a damaged database was opened"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.code, code, error.message);
  assert.ok(readFileSync(path).equals(content), "the file was changed");
  return error;
}

test("garbage is refused, says what to do, and stays as it is", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  for (const content of [
    "xx",
    "x".repeat(511),
    "not a database".repeat(1000),
    "SQLite format 3\0 but then something else".repeat(99),
  ]) {
    const error = await refusedUntouched(path, Buffer.from(content));
    assert.match(error.message, /x\.db .*left as it is.*backup/);
  }
});

test("damage to the head of any page is found", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const whole = await sampleDatabase(path);
  for (let offset = 0; offset < whole.length; offset += PAGE_SIZE) {
    await refusedUntouched(path, Buffer.from(whole).fill(0xa5, offset, offset + 64));
  }
});

test("a truncated file is found", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const whole = await sampleDatabase(path);
  for (const length of [16, 100, PAGE_SIZE, PAGE_SIZE * 3, PAGE_SIZE * 5 + 17, whole.length - PAGE_SIZE]) {
    await refusedUntouched(path, whole.subarray(0, length));
  }
});

test("a flipped bit anywhere is refused as a StoreError or harmless, never a crash", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const whole = await sampleDatabase(path);
  // A prime step visits headers, cells and free space alike, and the same ones in every run.
  for (let offset = 18; offset < whole.length; offset += 1_009) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(offset) ^ (1 << (offset % 8)), offset);
    writeFileSync(path, damaged);
    try {
      await (await openSqliteStore(path)).close();
    } catch (error) {
      assert.ok(error instanceof StoreError, `offset ${offset}: ${error}`);
      assert.ok(readFileSync(path).equals(damaged), `offset ${offset}: the file was changed`);
    }
  }
});

test("a ledger entry changed inside a sound file is found", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const whole = await sampleDatabase(path);
  const text = whole.toString("latin1");
  const ledgerBodies = [...text.matchAll(/"decision":\{"n":(\d)/gs)];
  assert.ok(ledgerBodies.length >= 3);
  for (const match of ledgerBodies.slice(0, 3)) {
    const changed = Buffer.from(whole);
    changed.write("9", match.index + match[0].length - 1, "latin1");
    if (match[1] === "9") continue;
    const error = await refusedUntouched(path, changed);
    assert.match(error.message, /receipt \d+ doesn't follow/);
  }
});

test("a receipt that is none any more, or whose row says another thing, is found", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  await sampleDatabase(path);
  for (const change of ["raw = 'x'", "hash = 'dreamt'", `raw = '{"a":"\\ud800"}'`, "chain_seq = 99"]) {
    const db = new DatabaseSync(path);
    db.exec("DROP TRIGGER IF EXISTS receipt_no_update");
    db.exec(`BEGIN; UPDATE receipt SET ${change} WHERE seq = 40; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
    await refusedUntouched(path, readFileSync(path));
  }
});

test("a damaged database with a -wal beside it isn't written to by looking at it", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  await sampleDatabase(path);
  const store = await openSqliteStore(path);
  await keep(store, append({ inWal: true }));
  const wal = readFileSync(`${path}-wal`);
  const content = Buffer.from(readFileSync(path)).fill(0xa5, PAGE_SIZE * 6, PAGE_SIZE * 6 + 64);
  await store.close();
  const copy = join(directory, "copy.db");
  writeFileSync(`${copy}-wal`, wal);
  await refusedUntouched(copy, content);
  assert.ok(readFileSync(`${copy}-wal`).equals(wal), "the -wal file was changed");
});

test("another program's database and one from the future are left alone", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE theirs (x); PRAGMA user_version = 1");
  other.close();
  const foreign = await refusedUntouched(path, readFileSync(path));
  assert.match(foreign.message, /another program/);
  truncateSync(path, 0);

  await sampleDatabase(path);
  const future = new DatabaseSync(path);
  future.exec("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
  future.close();
  await refusedUntouched(path, readFileSync(path), "TOO_NEW");
});

test("a journal left by a crash while the file changed to WAL is rolled back", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  await sampleDatabase(path);
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE; PRAGMA cache_size = 1; UPDATE proposal SET command = 'lost'");
  const copy = `${path}.copy`;
  writeFileSync(copy, readFileSync(path));
  writeFileSync(`${copy}-journal`, readFileSync(`${path}-journal`));
  db.exec("ROLLBACK");
  db.close();
  const store = await openSqliteStore(copy);
  assert.equal((await store.proposal("k0"))?.command, "ls -la");
  await store.close();
});
