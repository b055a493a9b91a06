import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { collectStatements, overlookedTexts, queryTexts } from "../../test/query-texts.ts";
import { emittedDraft, frameRecord } from "../../test/suite/sample-frames.ts";
import { append, collect, keep, proposal } from "../../test/suite/samples.ts";
import { storeSuite } from "../../test/suite.ts";
import { openTempStore, tempDirectory } from "../../test/temp-store.ts";
import type { HistoryPage } from "../contract/history.ts";
import { connectToRead } from "./base/connect.ts";
import { Statements } from "./base/statements.ts";
import { ROWS_IN_BLOCK } from "./history/build-blocks.ts";
import { RECEIPTS_IN_SPAN } from "./ledger/receipt-spans.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore, openStoreToRead, readLedger, readReceipts } from "./open-sqlite-store.ts";
import { Looker } from "./reading/look.ts";

const prepared = collectStatements();

storeSuite("SQLite", openTempStore);

test("what the suite asks on other threads, or of other stores, is asked here", async (t) => {
  const path = join(tempDirectory(t), "countersign.db");
  const store = await openSqliteStore(path);
  await keep(store, ...Array.from({ length: RECEIPTS_IN_SPAN }, (_, n) => append({ n })));
  const ended = Array.from({ length: ROWS_IN_BLOCK }, (_, n) =>
    proposal({ key: `k${n}`, state: "ended", endedAtMs: n }),
  );
  await keep(store, ...ended.map((each) => ({ op: "insert-proposal", proposal: each }) as const));
  for (const type of ["system.pty.open", "system.pty.close"]) {
    const draft = emittedDraft(type);
    const credentialSubject = { ...draft.credentialSubject, correlation_id: "c" };
    await store.record(frameRecord({ chain: "sandbox:box", receipts: [{ ...draft, credentialSubject }] }));
  }
  assert.equal((await store.sandboxSteps({ sandbox: "box", after: 0, limit: 10 })).length, 2);
  assert.equal((await store.proposalsNamed("of-k1")).length, 1);
  assert.equal((await collect(readLedger(path))).length, RECEIPTS_IN_SPAN + 1);
  assert.equal((await collect(readReceipts(path))).length, RECEIPTS_IN_SPAN + 3);
  await store.close();
  const reader = await openStoreToRead(path);
  assert.equal((await reader?.sandboxSteps({ sandbox: "box", after: 0, limit: 10 }))?.length, 2);
  await reader?.close();
  const db = connectToRead(path);
  const looker = new Looker(new Statements(db));
  assert.deepEqual(looker.look({ kind: "chains", page: { limit: 2, text: "none" } }), { chains: [], next: null });
  assert.notDeepEqual(looker.look({ kind: "chains", page: { limit: 2 } }), { chains: [], next: null });
  const wish = { words: ["ls"], result: ["unknown"], limit: 2 };
  assert.equal((looker.look({ kind: "search", wish }) as HistoryPage).rows.length, 2);
  db.close();
});

/** Tables that may be read as a whole, and sorted. */
const SMALL = {
  sqlite_master: "it is the schema",
  token: "people make tokens, one by one",
  answer_grant: "the limit `grants` bounds them, and those that are over are pruned",
  denial: "they are pruned by age; the hub reads all of them once, when it starts",
  denial_count: "one number for each session that was denied something; the hub reads all of them once, when it starts",
  outbox: "the limit `outboxDrafts` bounds it",
  sandbox_action: "the types of action of one sandbox",
};

/** Indexes of few rows, whatever their table has. */
const FEW = {
  proposal_open: "the limits `pending` and `running` bound what is open",
  receipt_of_key: "a ledger takes at most 900 changes of its key",
  receipt_of_epoch: "an epoch begins where a ledger was found shorter than its witness remembers",
  device_that_signs: "people make a device's key known, one by one",
  proposal_asked:
    "its statements read no more rows of it than they return: each has a limit, and asks for nothing else",
};

/** What isn't a table: constants, and subqueries, whose own lines of the plan are looked at. */
const NO_TABLE = /^SCAN (?:CONSTANT ROW|\d+ CONSTANT ROWS|\d+-ROW VALUES CLAUSE|\(subquery-\d+\)|begun)$/;
/** What runs once, when a database is opened or migrated, among other statements. */
const RUN_AT_OPENING = [
  "open-sqlite-store.ts: UPDATE setting SET value = value WHERE false;",
  "ledger/receipt-spans.ts: INSERT INTO receipt_span\n",
  "ledger/receipt-spans.ts: SELECT min(seq), min(at_ms), max(at_ms) FROM receipt\n",
];
/** What has no plan. */
const ASIDE = /^\s*(?:CREATE|PRAGMA|EXPLAIN|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;
const RUN_ONCE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

describe("query plans", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db);

  test("no statement of the store scans or sorts a table that grows", () => {
    const whole = queryTexts().flatMap(({ pieces: [text = "", ...rest] }) => (rest.length === 0 ? [text] : []));
    const texts = new Set([...whole, ...composed().flatMap(({ statements }) => statements)]);
    assert.ok(texts.size > 100, `only ${texts.size} statements were found`);
    const slow = [...texts].map((sql) => ({ sql, plan: faultsIn(db, sql) })).filter(({ plan }) => plan.length > 0);
    assert.deepEqual(slow, []);
  });

  test("every statement that is put together was prepared by the suite", () => {
    const missed = composed().filter(({ statements }) => statements.length === 0);
    assert.deepEqual(
      missed.map(({ file, pieces }) => [file, pieces.join("…")]),
      [],
    );
  });

  test("no SQL of the store is hidden from this check", () => {
    const overlooked = overlookedTexts().filter((text) => !RUN_AT_OPENING.some((known) => text.startsWith(known)));
    assert.deepEqual(overlooked, []);
    const hidden = ["`${HEAD} SELECT * FROM a`", '"select * from a"', "'INSERT OR IGNORE INTO a'", '"UPDATE " + "a"'];
    const found = hidden.map((source) => overlookedTexts([{ file: "a.ts", source }]).length);
    assert.deepEqual(found, [1, 1, 1, 0]);
    const known = queryTexts();
    const isKnown = (sql: string) =>
      known.some(({ pieces }) => (pieces.length === 1 ? sql === pieces[0] : isMadeOf(sql, pieces)));
    const unknown = [...prepared].filter((sql) => !isKnown(sql));
    assert.deepEqual(
      unknown.filter((sql) => !ASIDE.test(sql)),
      [],
    );
  });

  test("nothing else of the hub's packages opens a database, but a lock", () => {
    const cwd = join(import.meta.dirname, "../../..");
    const files = globSync("{core,store,jail,recorder,hub}/src/**/*.ts", { cwd });
    const opens = files
      .filter((file) => !/\.(?:test|deep)\.ts$/.test(file))
      .filter((file) => readFileSync(join(cwd, file), "utf8").includes('from "node:sqlite"'));
    assert.deepEqual(
      opens.filter((file) => !file.startsWith("store/src/sqlite/")),
      ["core/src/host/lock-file.ts"],
    );
  });

  test("the check finds a scan, a scan of an index and a sort", () => {
    const faults = (sql: string) => faultsIn(db, sql).length;
    assert.equal(faults("SELECT * FROM receipt WHERE hash = ?"), 1);
    assert.equal(faults("SELECT count(*) FROM receipt"), 1);
    assert.equal(faults("SELECT seq FROM receipt WHERE at_ms > ? ORDER BY seq LIMIT 10"), 1);
    assert.equal(faults("SELECT seq FROM receipt WHERE hash <> ? ORDER BY seq LIMIT 10"), 1);
    assert.equal(faults("SELECT seq FROM receipt ORDER BY seq LIMIT 10"), 0);
  });
});

/** Statements with something put in between, and what was prepared of each. */
function composed() {
  return queryTexts()
    .filter(({ pieces }) => pieces.length > 1)
    .map((text) => ({ ...text, statements: [...prepared].filter((sql) => isMadeOf(sql, text.pieces)) }));
}

function isMadeOf(sql: string, pieces: readonly string[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    const found = sql.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return RUN_ONCE.test(sql);
}

/** The lines of its plan that work grows with. */
function faultsIn(db: DatabaseSync, sql: string): string[] {
  // A connection that only reads copies rows into tables of its own: what matters is how it finds them.
  const lines = db.prepare(`EXPLAIN QUERY PLAN ${sql.replace(/^INSERT INTO temp\.\w+/, "")}`).all();
  const plan = lines.map(({ detail }) => String(detail));
  // Without a condition as many rows are read as are returned.
  const isBounded =
    /\bLIMIT\b/.test(sql) && !/\bWHERE\b/.test(sql) && !plan.some((line) => line.includes("TEMP B-TREE"));
  return plan.filter((line) => {
    if (line.includes("TEMP B-TREE")) return !plan.some((other) => isSmall(other));
    return line.startsWith("SCAN ") && !isBounded && !isSmall(line) && !NO_TABLE.test(line);
  });
}

function isSmall(line: string): boolean {
  const [, table = "", index = ""] = /^(?:SCAN|SEARCH) (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(line) ?? [];
  return table in SMALL || index in FEW;
}
