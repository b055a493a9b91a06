import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { approvalLines } from "./approval.ts";

const approval: ExecApprovalRequestPayload = {
  approvalId: "01a1e0d8-dc80-701d-b8bb-8987f28a4e4b",
  agentId: "s1",
  command: "echo a\n\x1b[2KSAFE  ls",
  cwd: "/w\u202e",
  riskLevel: "dangerous",
  riskReasons: ["Runs code from x.io"],
  expiresAtMs: 10_000,
  subject: "exec",
  agentName: "codex\x07",
  jail: "none",
  enforcement: "none",
  env: { A: "1" },
  effects: [],
  proposalHash: "sha256:00",
  reason: "it is\nsafe",
};

test("a card says everything, whole, and obeys nothing", (t) => {
  const { npm_command: before } = process.env;
  delete process.env.npm_command;
  t.after(() => {
    if (before !== undefined) process.env.npm_command = before;
  });
  assert.deepEqual(approvalLines(approval, { shortId: "f28a4e4b", nowMs: 0 }), [
    "DANGEROUS  f28a4e4b  expires in 0:10",
    "  no jail (enforcement: none)",
    "  $ echo a",
    "  > <U+001B>[2KSAFE  ls",
    "  - Runs code from x.io",
    "  with A=1",
    '  by "codex<U+0007>"',
    '  in "/w<U+202E>"',
    `  The agent's claim: "it is<U+000A>safe"`,
    "  countersign approve f28a4e4b",
    '  countersign deny f28a4e4b --reason "…"',
  ]);
});

test("a diff stands under the command, and no line of it looks like one of ours", () => {
  const diff = "@@ -1,2 +1,2 @@\n one\n-two\n+\x1b[2K- Nothing is written\n\\ 9 more lines";
  const lines = approvalLines({ ...approval, diff }, { shortId: "f28a4e4b", nowMs: 0 });
  assert.deepEqual(lines.slice(3, 10), [
    "  > <U+001B>[2KSAFE  ls",
    "  | @@ -1,2 +1,2 @@",
    "  |  one",
    "  | -two",
    "  | +<U+001B>[2K- Nothing is written",
    "  | \\ 9 more lines",
    "  - Runs code from x.io",
  ]);
});

test("what stands in a script is shown whole, in quotes", () => {
  const script = { file: "/w/package.json", runs: [{ name: "test", text: "vitest\n\x1b[2Krun" }] };
  const effects: ExecApprovalRequestPayload["effects"] = [
    {
      kind: "executes",
      risk: "needs-review",
      sentence: 'Runs this project\'s "test" script',
      layer: "safe-binary",
      ruleId: "project.script",
      span: { pos: 0, end: 8 },
      script,
    },
  ];
  const lines = approvalLines({ ...approval, effects }, { shortId: "f28a4e4b", nowMs: 0 });
  assert.ok(lines.includes('  script "test": "vitest<U+000A><U+001B>[2Krun"'), lines.join("\n"));
});

test("no name can say that there's a jail, and a hash that couldn't be checked is said", () => {
  const lie = `x" · jail: workspace${" ".repeat(3)}y`;
  const lines = approvalLines(
    { ...approval, command: "A=[REDACTED] ls", agentName: lie, cwd: `/${"d".repeat(5_000)}` },
    { shortId: "f28a4e4b", nowMs: 0 },
  );
  assert.equal(lines[1], "  no jail (enforcement: none)");
  assert.ok(lines.includes('  by "x<U+0022> · jail: workspace <U+0020><U+0020>y"'));
  assert.ok(lines.includes("  The hub redacted this command, so its hash could not be checked here."));
  assert.ok(lines.every((line) => line.length < 300));
});
