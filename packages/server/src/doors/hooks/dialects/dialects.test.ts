import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect, HookCall, Verdict } from "../hook-call.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";

const toolInput = { command: "ls", description: "kept" };

function said(dialect: Dialect, verdict: Verdict, more: Partial<HookCall> = {}): unknown {
  const call: HookCall = {
    ...{
      eventName: "PreToolUse",
      moment: "before",
      sessionId: "s",
      cwd: "/",
      callId: "c",
      toolName: "Bash",
      toolInput,
    },
    tool: { kind: "shell", command: "ls" },
    ...more,
  };
  const { stdout, exitCode } = dialect.write(call, verdict);
  assert.equal(exitCode, 0);
  return stdout === "" ? undefined : JSON.parse(stdout);
}

const ask = { kind: "ask", words: "why" } as const;
const rewrite = { kind: "allow", command: "run it" } as const;
const updatedInput = { ...toolInput, command: "run it" };

test("a question that is left to the agent is put in its own form, where it has one", () => {
  assert.deepEqual(said(claudeCode, ask), {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: "why" },
  });
  assert.equal(said(claudeCode, ask, { moment: "permission" }), undefined);
  assert.equal(said(codex, ask, { moment: "permission" }), undefined);
  // Before a tool, Codex takes "ask" for a hook that failed, and goes on.
  assert.deepEqual(said(codex, ask), {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "why" },
  });
  assert.deepEqual(said(gemini, ask), { decision: "ask", systemMessage: "why" });
  assert.deepEqual(said(cursor, ask), { permission: "ask", user_message: "why", agent_message: "why" });
});

test("another command comes with the rest of the input", () => {
  for (const dialect of [claudeCode, codex]) {
    assert.deepEqual(said(dialect, rewrite), {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput },
    });
  }
  assert.deepEqual(said(gemini, rewrite), {
    decision: "allow",
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: updatedInput },
  });
});

test("of what is over, nothing is said", () => {
  for (const dialect of [claudeCode, codex, gemini, cursor]) {
    for (const verdict of [ask, rewrite, { kind: "deny", words: "no" }, { kind: "nothing" }] as const) {
      assert.equal(said(dialect, verdict, { moment: "after" }), undefined);
    }
  }
});
