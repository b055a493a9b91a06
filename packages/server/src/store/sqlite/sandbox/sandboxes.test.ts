import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { frameRecordOf, refusedTerminal } from "../../suite/sandboxes.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { MIGRATIONS } from "../schema.ts";
import { tempDirectory } from "../temp-store.ts";
import { OPENED_TERMINALS, READABLE_DROPS, SANDBOXES } from "./schema.ts";

test("a database of before has its sandboxes counted as they would have been, over changes of the key too", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  const say = (sandbox: string, ...types: readonly string[]) => store.record(frameRecordOf(sandbox, types));
  await say("a", "system.command.execute");
  await say("a", "agent_receipts.events_dropped", "system.pty.open");
  await say("b", "system.pty.open");
  for (let n = 0; n < 2; n += 1)
    await store.record(frameRecordOf("c", ["agent_receipts.events_dropped"], Number.MAX_SAFE_INTEGER));
  await store.rotateKey({ atMs: 2_000, body: { person: "ann" } });
  await say("a", "system.pty.close");
  await say("a", "system.code.execute");
  const [sandboxes, terminals] = [await store.sandboxes({ limit: 10 }), await store.terminals(OF_A)];
  assert.deepEqual(
    sandboxes.map(({ id, dropped, openTerminals, chains }) => [id, dropped, openTerminals, chains.map(lengthOf)]),
    [
      ["c", Number.MAX_SAFE_INTEGER, 0, [2]],
      ["b", 0, 1, [1]],
      ["a", 2, 0, [3, 2]],
    ],
  );
  await store.close();

  const db = new DatabaseSync(path);
  for (const table of ["sandbox", "sandbox_chain", "sandbox_action", "sandbox_terminal"])
    db.exec(`DROP TABLE ${table}`);
  db.exec(SANDBOXES);
  db.close();
  const later = await openSqliteStore(path);
  t.after(() => later.close());
  assert.deepEqual(await later.sandboxes({ limit: 10 }), sandboxes);
  assert.deepEqual(await later.terminals(OF_A), terminals);
});

test("a database of before whose drops are more than can be read has as many as can be", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await store.record(frameRecordOf("a", ["system.command.execute"]));
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(
    `UPDATE sandbox SET dropped = 9223372036854775807; PRAGMA user_version = ${MIGRATIONS.indexOf(READABLE_DROPS)}`,
  );
  db.close();
  const later = await openSqliteStore(path);
  t.after(() => later.close());
  assert.deepEqual(
    (await later.sandboxes({ limit: 10 })).map(({ dropped }) => dropped),
    [Number.MAX_SAFE_INTEGER],
  );
});

test("a database of before forgets the terminals that were never opened, and no others", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await store.record(frameRecordOf("a", ["system.pty.open", "system.pty.close", "system.pty.close"]));
  await store.record(frameRecordOf("b", ["system.pty.open"]));
  await store.record(refusedTerminal("a", "refused"));
  await store.record(refusedTerminal("b", "c"));
  const of = ["a", "b"].map((sandbox) => ({ sandbox, correlators: ["c", "refused"] }));
  const expected = await Promise.all(of.map((one) => store.terminals(one)));
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(`INSERT INTO sandbox_terminal SELECT 'a', 'refused', max(seq) - 1, NULL FROM receipt;
    UPDATE sandbox_terminal SET opened_seq = (SELECT max(seq) FROM receipt) WHERE sandbox_id = 'b';
    PRAGMA user_version = ${MIGRATIONS.indexOf(OPENED_TERMINALS)}`);
  db.close();
  const later = await openSqliteStore(path);
  t.after(() => later.close());
  assert.deepEqual(await Promise.all(of.map((one) => later.terminals(one))), expected);
  assert.deepEqual(
    (await later.sandboxes({ limit: 10 })).map(({ id, openTerminals }) => [id, openTerminals]),
    [
      ["b", 1],
      ["a", 0],
    ],
  );
});

const OF_A = { sandbox: "a", correlators: ["c"] };
const lengthOf = ({ length }: { readonly length: number }) => length;

test("a list of sandboxes reads no more with many receipts than with few", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await store.record(frameRecordOf("a", ["system.command.execute"]));
  await store.close();
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  const plans = [
    "SELECT * FROM sandbox WHERE first_seq < ? ORDER BY first_seq DESC LIMIT ?",
    "SELECT type, count FROM sandbox_action WHERE sandbox_id = ? ORDER BY count DESC, type",
    "SELECT max(chain_seq) FROM receipt WHERE receipt.chain_id = ?",
    "SELECT 1 FROM sandbox_terminal WHERE sandbox_id = ? AND closed_seq IS NULL",
    "SELECT seq, hash, raw FROM receipt WHERE chain_id = ? AND chain_seq > ? ORDER BY chain_seq LIMIT ?",
  ].flatMap((sql) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  );
  assert.deepEqual(
    plans.filter((detail) => /^SCAN|TEMP B-TREE/.test(detail) && !detail.includes("TEMP B-TREE FOR ORDER BY")),
    [],
  );
});
