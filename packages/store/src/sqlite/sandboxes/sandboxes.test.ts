import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { frameRecordOf, refusedTerminal } from "../../../test/suite/sandboxes.ts";
import { tempDirectory, WITHOUT_PAGES } from "../../../test/temp-store.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { MIGRATIONS } from "../schema.ts";
import { OPENED_TERMINALS, READABLE_DROPS, SANDBOXES, SIDES } from "./schema.ts";

/** What a database of before hasn't got. */
const WITHOUT_SIDES = ["sandbox_outside", "sandbox_inside", "sandbox_step", "sandbox_span", "sandbox_open"]
  .map((table) => `DROP TABLE ${table};`)
  .join(" ");
const since = (step: string) => `${WITHOUT_PAGES} ${WITHOUT_SIDES} PRAGMA user_version = ${MIGRATIONS.indexOf(step)};`;

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
  const steps = await store.sandboxSteps({ sandbox: "a", after: 0, limit: 10 });
  const now = { sandbox: "b", momentsMs: [1_000, -1_000] };
  const explained = await store.explanations(now);
  assert.deepEqual([steps.length, explained.map(({ kind }) => kind)], [5, ["terminal", "none"]]);
  await store.close();

  const db = new DatabaseSync(path);
  for (const table of ["sandbox", "sandbox_chain", "sandbox_action", "sandbox_terminal"])
    db.exec(`DROP TABLE ${table}`);
  db.exec(SANDBOXES);
  db.exec(since(SIDES));
  db.close();
  const later = await openSqliteStore(path);
  t.after(() => later.close());
  assert.deepEqual(await later.sandboxes({ limit: 10 }), sandboxes);
  assert.deepEqual(await later.terminals(OF_A), terminals);
  assert.deepEqual(await later.sandboxSteps({ sandbox: "a", after: 0, limit: 10 }), steps);
  assert.deepEqual(await later.explanations(now), explained);
});

test("a database of before whose drops are more than can be read has as many as can be", async (t) => {
  const path = join(tempDirectory(t), "x.db");
  const store = await openSqliteStore(path);
  await store.record(frameRecordOf("a", ["system.command.execute"]));
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(`UPDATE sandbox SET dropped = 9223372036854775807; ${since(READABLE_DROPS)}`);
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
    ${since(OPENED_TERMINALS)}`);
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
    "SELECT at_ms, seq, last_seq, receipts FROM sandbox_step WHERE sandbox_id = ? ORDER BY at_ms, seq LIMIT ? OFFSET ?",
    "UPDATE sandbox_step SET last_seq = ?, receipts = receipts + 1 WHERE sandbox_id = ? AND flow = ?",
    "SELECT at_ms FROM sandbox_step WHERE sandbox_id = ? AND to_explain = 1 ORDER BY at_ms DESC LIMIT ?",
    "SELECT from_ms FROM sandbox_span WHERE sandbox_id = ? AND kind = ? AND from_ms <= ? ORDER BY from_ms DESC LIMIT 1",
    "SELECT from_ms, seq FROM sandbox_open WHERE sandbox_id = ? ORDER BY from_ms LIMIT 1",
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
