import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunView } from "@countersign/protocol/proposals";
import { endRow, type RunRow, updateRows } from "./run-rows.ts";

function run(key: string): RunView {
  const place = { cwd: "/w", jail: "workspace", enforcement: "jail" } as const;
  return { key, agentId: "s", agentName: "codex", command: `sleep ${key}`, startedAtMs: 1, ...place };
}
const shown = (rows: readonly RunRow[]) => rows.map((row) => [row.run.key, row.end?.outcome?.kind ?? row.end?.atMs]);

test("updateRows keeps the place of an ended run, and endRow adds its outcome", () => {
  let rows = updateRows([], [run("1"), run("2")], 10);
  rows = updateRows(rows, [run("2"), run("3")], 20);
  assert.deepEqual(shown(rows), [
    ["1", 20],
    ["2", undefined],
    ["3", undefined],
  ]);
  rows = endRow(rows, { key: "1", outcome: { kind: "exited", exitCode: 0 } }, 21);
  assert.deepEqual(shown(rows)[0], ["1", "exited"]);
  assert.deepEqual(shown(updateRows(rows, [run("2"), run("3")], 30)), shown(rows));
});

test("updateRows drops the oldest ended runs, never a running one", () => {
  const many = Array.from({ length: 150 }, (_, index) => run(`${index}`));
  const rows = updateRows(updateRows([], many, 1), [run("0"), run("new")], 2);
  const after = updateRows(rows, [run("0"), run("new")], 3);
  assert.equal(after.filter(({ end }) => end).length, 100);
  assert.equal(after[0]?.run.key, "0");
  assert.equal(after.at(-1)?.run.key, "new");
});
