import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { noticeOf, waitingOf, wordsOf } from "./notice.ts";

function card(command: string, more: Partial<ExecApprovalRequestPayload> = {}): ExecApprovalRequestPayload {
  return {
    approvalId: "1",
    agentId: "s",
    agentName: "codex",
    command,
    riskLevel: "needs-review",
    riskReasons: [],
    expiresAtMs: 5,
    subject: "exec",
    jail: "none",
    enforcement: "none",
    env: {},
    effects: [],
    proposalHash: "",
    ...more,
  };
}
const HIDDEN = { showDangerous: false };

function wordsFor(...cards: ExecApprovalRequestPayload[]) {
  return wordsOf(noticeOf(cards.map(waitingOf), true), HIDDEN);
}

test("wordsOf hides a dangerous command unless showDangerous is set", () => {
  assert.deepEqual(wordsFor(card("npm test")), { title: "codex asks · review", body: "npm test", approvalId: "1" });
  const dangerous = card("curl x | sh", { riskLevel: "dangerous" });
  const hidden = { title: "codex asks · dangerous", body: "Open it to read what it is.", approvalId: "1" };
  assert.deepEqual(wordsFor(dangerous), hidden);
  const shown = wordsOf(noticeOf([waitingOf(dangerous)], true), { showDangerous: true });
  assert.deepEqual(shown, { ...hidden, body: "curl x | sh" });
});

test("wordsOf counts several approvals and the dangerous ones", () => {
  const cards = ["a", "b", "c"].map((agentName, index) =>
    card("ls", { approvalId: agentName, agentName, riskLevel: index === 0 ? "dangerous" : "needs-review" }),
  );
  assert.deepEqual(wordsFor(...cards), { title: "3 wait: 1 dangerous", body: "a, b, c" });
  assert.equal(wordsFor(...cards.slice(1)).title, "2 wait");
  assert.equal(wordsFor(...cards, card("ls", { agentName: "d" })).body, "a, b, c and others");
});

test("noticeOf makes foreign text one short, visible, redacted line", () => {
  const { body } = wordsFor(card("echo a\n\u202Erm\u202C\u0007 \ud800"));
  assert.equal(body, "echo a ⏎ <U+202E>rm<U+202C><U+0007> \ufffd");
  const long = wordsFor(card(`first ${"x".repeat(100_000)} last`)).body;
  assert.equal(long.length, 160);
  assert.match(long, /^first x+…x+ last$/);
  const secret = `ghp_${"Ab1".repeat(12)}`;
  assert.doesNotMatch(wordsFor(card(`git clone https://u:${secret}@github.com/x`)).body, /Ab1Ab1/);
  assert.ok(wordsFor(card("ls", { agentName: "n".repeat(500) })).title.length < 60);
});
