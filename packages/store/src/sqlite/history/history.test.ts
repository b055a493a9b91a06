import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keep, proposal } from "../../../test/suite/samples.ts";
import { tempDirectory } from "../../../test/temp-store.ts";
import { connectToWrite } from "../base/connect.ts";
import { migrate } from "../migrate.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { MIGRATIONS } from "../schema.ts";
import { ROWS_IN_BLOCK } from "./build-blocks.ts";

const HISTORY_STEP = MIGRATIONS.findIndex((step) => step.includes("CREATE TABLE history "));

test("nothing of a command that was redacted stays in the file, in no block and no free page", async (t) => {
  const path = join(tempDirectory(t), "countersign.db");
  const store = await openSqliteStore(path);
  const keys = Array.from({ length: ROWS_IN_BLOCK + 10 }, (_, index) => `k${index}`);
  const waiting = (key: string) => proposal({ key, command: `login --password HUNTER2-${key}`, state: "started" });
  await keep(store, ...keys.map((key) => ({ op: "insert-proposal", proposal: waiting(key) }) as const));
  const set = { command: "login --password [redacted]", endedAtMs: 9, outcome: { kind: "exited", exitCode: 0 } };
  for (const key of keys) await keep(store, { op: "advance-proposal", key, from: "started", to: "ended", set });
  assert.equal((await store.history({ words: ["[redacted]"], limit: 200 })).rows.length, 200);
  await store.close();
  assert.equal(readFileSync(path).toString("latin1").toLowerCase().includes("hunter2"), false);
});

test("what ended before there was a history is in it, with what its receipts tell", async (t) => {
  const path = join(tempDirectory(t), "countersign.db");
  const db = connectToWrite(path);
  migrate(db, MIGRATIONS.slice(0, HISTORY_STEP));
  const insert = db.prepare(
    `INSERT INTO proposal VALUES (?, 'ann', ?, 's1', ?, 1, 'h', ?, '/work', '{}', '{}', NULL, 1000, ?, ?, ?)`,
  );
  db.exec("INSERT INTO session VALUES ('s1', 'ann', 'claude', 1)");
  insert.run("open", "p0", "started", "make", null, null, null);
  insert.run("later", "p1", "ended", "npm test", 3000, '{"kind":"exited","exitCode":1}', "exited");
  insert.run("first", "p2", "ended", "rm -rf dist", 2000, '{"kind":"denied","reason":"no"}', "denied");
  insert.run("spoilt", "p3", "ended", "ls", 4000, "{", null);
  const decision = {
    verdict: "allow",
    by: "person",
    person: "ann",
    riskLevel: "needs-review",
    agent: "codex",
    approvalId: "a1",
  };
  const raw = JSON.stringify({ issuer: { runtime: { decision } } });
  db.prepare(
    "INSERT INTO receipt (seq, chain_id, chain_seq, hash, raw, type, session_id, proposal_key, at_ms) VALUES (1, 'c', 1, 'h', ?, 'decided', 's1', 'later', 1500)",
  ).run(raw);
  migrate(db, MIGRATIONS.slice(0, HISTORY_STEP + 1));
  const rows = db.prepare("SELECT * FROM history ORDER BY place").all();
  assert.deepEqual(
    rows.map((row) => [row.proposal_key, row.ended_at_ms, row.exit_code, row.reason]),
    [
      ["first", 2000, null, "no"],
      ["later", 3000, 1, null],
      ["spoilt", 4000, null, null],
    ],
  );
  const decided = db.prepare("SELECT decided FROM proposal WHERE key = ?");
  assert.deepEqual(JSON.parse(String(decided.get("later")?.decided)), {
    ...{ atMs: 1500, by: "person", person: "ann", asked: true, verdict: "allow", risk: "needs-review", agent: "codex" },
    ...{ repository: null, entries: [], hosts: [], outside: [] },
  });
  assert.equal(decided.get("first")?.decided, null);
  db.close();
});
