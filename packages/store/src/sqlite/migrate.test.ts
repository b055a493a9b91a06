import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { failsWith } from "../../test/suite/samples.ts";
import { migrate, schemaVersion } from "./migrate.ts";

const STEPS = [
  "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)",
  "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'from one'",
  "CREATE TABLE b (z INTEGER) STRICT",
];

test("an older database gets the missing steps only, and keeps its rows", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, STEPS.slice(0, 1));
  assert.equal(schemaVersion(db), 1);
  db.exec("INSERT INTO a VALUES (2)");
  migrate(db, STEPS);
  migrate(db, STEPS);
  assert.equal(schemaVersion(db, STEPS.length), 3);
  const rows = db
    .prepare("SELECT x, y FROM a ORDER BY x")
    .all()
    .map((row) => ({ ...row }));
  assert.deepEqual(rows, [
    { x: 1, y: "from one" },
    { x: 2, y: "from one" },
  ]);
  db.close();
});

test("a step that fails leaves nothing of itself, and what was before stays", () => {
  const db = new DatabaseSync(":memory:");
  const failing = [...STEPS.slice(0, 2), "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)"];
  assert.throws(() => migrate(db, failing), /nowhere/);
  assert.equal(schemaVersion(db, 3), 2);
  assert.equal(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()?.n, 0);
  migrate(db, STEPS);
  assert.equal(schemaVersion(db, 3), 3);
  db.close();
});

test("a version that isn't known yet is refused", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, STEPS);
  assert.throws(() => migrate(db, STEPS.slice(0, 2)), failsWith("TOO_NEW"));
  assert.equal(schemaVersion(db, 3), 3);
  db.close();
});
