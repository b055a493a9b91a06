import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookedAgent } from "@countersign/protocol/access";
import { readAsAgent } from "./read-as-agent.ts";

const pre = (hookSpecificOutput: object) => JSON.stringify({ hookSpecificOutput });
const DENY = pre({ permissionDecision: "deny", permissionDecisionReason: "no" });
const ALLOW = pre({ permissionDecision: "allow" });

/** [agent, stdout, stderr, exit code, what the agent does]: as tried out with the agents themselves. */
const CASES: readonly (readonly [HookedAgent, string, string, number | null, string])[] = [
  ["claude-code", DENY, "", 0, "denied"],
  ["claude-code", ALLOW, "", 0, "allowed"],
  ["claude-code", pre({ permissionDecision: "ask" }), "", 0, "asks"],
  ["claude-code", "", "", 2, "denied"],
  ["claude-code", DENY, "", 1, "runs"],
  ["claude-code", "garbage", "", 0, "runs"],
  ["claude-code", "", "", null, "runs"],
  ["codex", DENY, "", 0, "denied"],
  ["codex", pre({ permissionDecision: "deny" }), "", 0, "runs"],
  ["codex", pre({ permissionDecision: "ask" }), "", 0, "runs"],
  ["codex", "", "", 0, "allowed"],
  ["codex", "", "why", 2, "denied"],
  ["codex", "", "", 2, "runs"],
  ["codex", "", "", null, "runs"],
  ["gemini", '{"decision":"deny","reason":"no"}', "", 0, "denied"],
  ["gemini", "", "why", 2, "denied"],
  ["gemini", "", "", 2, "runs"],
  ["gemini", "garbage", "", 0, "runs"],
  ["gemini", "", "why", 1, "runs"],
  ["cursor", '{"permission":"deny"}', "", 0, "denied"],
  ["cursor", '{"permission":"allow"}', "", 0, "allowed"],
  ["cursor", '{"permission":"ask"}', "", 0, "runs"],
  ["cursor", "garbage", "", 0, "denied"],
  ["cursor", "", "", 2, "denied"],
];

test("a hook's answer is read as its agent reads it", () => {
  for (const [agent, stdout, stderr, exitCode, kind] of CASES) {
    const event = agent === "gemini" ? "BeforeTool" : "PreToolUse";
    assert.equal(readAsAgent(agent, event, { stdout, stderr, exitCode }).kind, kind, `${agent} ${stdout} ${exitCode}`);
  }
  const asked = { stdout: pre({ decision: { behavior: "deny", message: "no" } }), stderr: "", exitCode: 0 };
  assert.equal(readAsAgent("codex", "PermissionRequest", asked).kind, "denied");
  assert.equal(readAsAgent("codex", "PreToolUse", asked).kind, "runs");
});
