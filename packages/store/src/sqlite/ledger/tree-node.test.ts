import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { TreeFrontier } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { failsWith } from "../../../test/suite/samples.ts";
import { Statements } from "../base/statements.ts";
import { migrate } from "../migrate.ts";
import { MIGRATIONS } from "../schema.ts";
import { treeHeadAt } from "./append-receipts.ts";
import { nodeId, treeNodeIn } from "./tree-node.ts";

const LEAVES = 37;
/** The last schema that kept nodes by level and index. */
const BY_LEVEL = 13;

test("the nodes of an older database are found where they are kept now, and appended to at the end", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, MIGRATIONS.slice(0, BY_LEVEL));
  const tree = new TreeFrontier(nodeCrypto());
  const nodes = Array.from({ length: LEAVES }, (_, leaf) => tree.append(new Uint8Array(32).fill(leaf))).flat();
  const insert = db.prepare("INSERT INTO tree_node (level, idx, hash) VALUES (?, ?, ?)");
  for (const { level, index, hash } of nodes) insert.run(level, index, hash);
  migrate(db);
  const sql = new Statements(db);
  for (const { level, index, hash } of nodes) assert.ok(Buffer.from(hash).equals(treeNodeIn(sql, level, index)));
  assert.deepEqual(treeHeadAt(sql, LEAVES), { size: LEAVES, root: tree.root() });
  assert.deepEqual(
    sql.all("SELECT id, level, idx FROM tree_node ORDER BY id").map((row) => ({ ...row })),
    nodes.map(({ level, index }) => ({ id: nodeId(level, index), level, idx: index })),
  );
  assert.throws(() => treeNodeIn(sql, 1, LEAVES), failsWith("CORRUPT"));
  assert.throws(() => sql.run("DELETE FROM tree_node"), /append-only/);
  assert.throws(() => sql.run("UPDATE tree_node SET hash = x'00'"), /append-only/);
  db.close();
});
