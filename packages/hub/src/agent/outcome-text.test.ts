import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@countersign/protocol/proposals";
import { outcomeText } from "./outcome-text.ts";

test("outcomeText describes every kind of outcome for agents", () => {
  const table: [Outcome, string][] = [
    [{ kind: "exited", exitCode: 0, stdout: "out\n", stderr: "err" }, "out\nerr"],
    [{ kind: "exited", exitCode: 0 }, "It worked, and wrote nothing."],
    [{ kind: "exited", exitCode: 3, stderr: "no" }, "no\nExit code 3."],
    [
      { kind: "exited", exitCode: 1, stderr: "x\n", reason: "The jail refused a connection" },
      "x\nExit code 1.\nThe jail refused a connection.",
    ],
    [{ kind: "signalled", signal: "SIGSEGV", stdout: "half" }, "half\nThe command was ended by SIGSEGV."],
    [{ kind: "timed-out", stdout: "half\n" }, "half\nThe command ran out of time and was ended."],
    [
      { kind: "denied", by: "person", reason: "Denied by ann: too wide" },
      "Denied by ann: too wide. Do not reach the same effect another way; propose something else or ask.",
    ],
    [{ kind: "denied", by: "deny-entry", reason: "Use --force-with-lease" }, "Use --force-with-lease"],
    [{ kind: "expired", by: "timeout" }, "Nobody answered in 2 min. This isn't a refusal; continue with other work."],
    [{ kind: "jail-refused", reason: "no bwrap" }, "The jail could not be built, so it did not run: no bwrap."],
    [
      { kind: "not-started", reason: "The script has changed" },
      "It was allowed and did not start: The script has changed.",
    ],
    [{ kind: "aborted" }, "The command was stopped while it ran."],
    [{ kind: "cancelled" }, "Withdrawn before it ran."],
    [{ kind: "interrupted" }, "The hub ended while it ran; what it did until then is unknown."],
  ];
  for (const [outcome, words] of table) {
    assert.equal(outcomeText(outcome, { waitedMs: 120_000, maxBytes: 1_000 }), words, outcome.kind);
  }
});

test("outcomeText keeps both ends of output that is too long, and says so", () => {
  const stdout = `begin ${"x".repeat(5_000)} end\n`;
  const told = outcomeText({ kind: "exited", exitCode: 0, stdout }, { waitedMs: 0, maxBytes: 200 });
  assert.match(told, /^begin x+\n\[… \d+ bytes left out …\]\nx+ end\nThe output was cut: /);
  assert.ok(told.length < 400);
  assert.match(
    outcomeText({ kind: "exited", exitCode: 0, stdout: "a", truncated: true }, { waitedMs: 0, maxBytes: 200 }),
    /cut/,
  );
});
