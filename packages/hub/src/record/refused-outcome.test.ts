import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision } from "@countersign/policy";
import type { Outcome } from "@countersign/protocol/proposals";
import { refusedOutcome } from "./refused-outcome.ts";

test("a refusal tells who refused and why, and never looks like a run", () => {
  const reason = `because OPENAI_API_KEY=x`;
  const told = "because OPENAI_API_KEY=[REDACTED]";
  const table: [Decision["by"], Outcome["kind"]][] = [
    ["person", "denied"],
    ["policy", "denied"],
    ["deny-entry", "denied"],
    ["floor", "denied"],
    ["paused", "denied"],
    ["shutdown", "denied"],
    ["undelivered", "denied"],
    ["timeout", "expired"],
    ["cancelled", "cancelled"],
  ];
  for (const [by, kind] of table) {
    assert.deepEqual(refusedOutcome({ by, reason }), { kind, by, reason: told });
    assert.deepEqual(refusedOutcome({ by, reason }, "a1"), { kind, by, reason: told, approvalId: "a1" });
  }
});
