import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { ReceiptPage } from "../../contract/store.ts";
import { Statements } from "../base/statements.ts";
import { migrate } from "../migrate.ts";
import { receiptIn, receiptsIn } from "./find-receipts.ts";
import { addSpans, RECEIPTS_IN_SPAN } from "./receipt-spans.ts";

const COUNT = 30_000;
/** The clock goes back a day at half of them, and on from there. */
const atMs = (seq: number) => seq * 1_000 - (seq > COUNT / 2 ? 86_400_000 / 10 : 0);
const typeOf = (seq: number) => (seq === 29_002 ? "rare" : seq % 2 === 0 ? "decided" : "ended");
const sessionOf = (seq: number) => (seq % 4 === 0 ? null : seq % 4 === 1 ? "s1" : "s2");

/** Rows as the hub would write them, but for what they say. */
function openLedger(count = COUNT): Statements {
  const db = new DatabaseSync(":memory:");
  migrate(db);
  const sql = new Statements(db);
  db.exec("BEGIN");
  const insert = db.prepare(`INSERT INTO receipt (seq, chain_id, chain_seq, hash, raw, type, session_id, at_ms)
    VALUES (?1, 'c', ?1, 'h' || ?1, '{}', ?2, ?3, ?4)`);
  for (let seq = 1; seq <= count; seq += 1) insert.run(seq, typeOf(seq), sessionOf(seq), atMs(seq));
  addSpans(sql, { before: 0, last: count });
  db.exec("COMMIT");
  return sql;
}

/** Every page until there is no next one: the numbers found, and the most pages without any. */
function walk(sql: Statements, wish: Omit<ReceiptPage, "afterSeq" | "limit">, limit = 500) {
  const found: number[] = [];
  let pages = 0;
  for (let afterSeq: number | null = 0; afterSeq !== null; pages += 1) {
    const { receipts, next } = receiptsIn(sql, { ...wish, afterSeq, limit });
    assert.ok(receipts.length <= limit);
    assert.ok(next === null || next > afterSeq, "it goes on");
    found.push(...receipts.map(({ seq }) => seq));
    afterSeq = next;
  }
  return { found, pages };
}

test("pages of every filter hold what a look at each receipt finds, in the ledger's order", () => {
  const sql = openLedger();
  const all = Array.from({ length: COUNT }, (_, index) => index + 1);
  const times = [undefined, 0, 5_000_000, 16_000_000, 22_000_000, 40_000_000];
  for (const sessionId of [undefined, "s1", "none"]) {
    for (const type of [undefined, "decided", "rare", "none"]) {
      for (const fromMs of times) {
        for (const toMs of [undefined, 6_000_000, 17_000_000]) {
          const wish = { sessionId, type, fromMs, toMs };
          const expected = all.filter(
            (seq) =>
              (sessionId === undefined || sessionOf(seq) === sessionId) &&
              (type === undefined || typeOf(seq) === type) &&
              (fromMs === undefined || atMs(seq) >= fromMs) &&
              (toMs === undefined || atMs(seq) < toMs),
          );
          assert.deepEqual(walk(sql, wish).found, expected, JSON.stringify(wish));
        }
      }
    }
  }
});

test("a page looks at a bounded number of rows, and goes on where it stopped", () => {
  const sql = openLedger();
  const first = receiptsIn(sql, { afterSeq: 0, limit: 100, sessionId: "s2", type: "rare" });
  assert.deepEqual([first.receipts, first.next], [[], 19_999]);
  assert.deepEqual(walk(sql, { sessionId: "s2", type: "rare" }).found, [29_002]);
});

test("times lead past all spans that don't touch them", () => {
  const sql = openLedger();
  const { found, pages } = walk(sql, { fromMs: atMs(29_990) });
  assert.deepEqual(found, [29_990, 29_991, 29_992, 29_993, 29_994, 29_995, 29_996, 29_997, 29_998, 29_999, 30_000]);
  assert.equal(pages, 1);
});

test("receipts behind the last span are found, and those of a ledger without any", () => {
  assert.deepEqual(walk(openLedger(10), { fromMs: 3_000, toMs: 6_000 }).found, [3, 4, 5]);
  const exactly = openLedger(RECEIPTS_IN_SPAN);
  assert.deepEqual(walk(exactly, { fromMs: 1_023_000 }).found, [1_023, 1_024]);
});

test("a hash that no leaf has is looked for step by step, to the end", () => {
  const sql = openLedger(1);
  let steps = 0;
  for (let from: number | null = 0; from !== null; steps += 1)
    from = receiptIn(sql, { hash: `sha256:${"0".repeat(64)}` }, from).next;
  assert.equal(steps, 1);
  assert.deepEqual(receiptIn(sql, { hash: "no hash" }), { found: null, next: null });
});
