import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect, HookCall, Verdict } from "../calls/hook-call.ts";
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

test('dialects write "ask" in the form of each agent that has one', () => {
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
  assert.deepEqual(said(cursor, ask), { permission: "deny", user_message: "why", agent_message: "why" });
});

test("dialects write a rewritten command with the rest of the input", () => {
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

test("dialects answer nothing after a tool has ended", () => {
  for (const dialect of [claudeCode, codex, gemini, cursor]) {
    for (const verdict of [ask, rewrite, { kind: "deny", words: "no" }, { kind: "nothing" }] as const) {
      assert.equal(said(dialect, verdict, { moment: "after" }), undefined);
    }
  }
});

test("the Cursor dialect writes an explicit allow", () => {
  for (const verdict of [{ kind: "allow" }, { kind: "nothing" }] as const) {
    assert.deepEqual(said(cursor, verdict), { permission: "allow" });
  }
});

test("dialects hand nothing back that the agent doesn't honour", () => {
  const events = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"];
  for (const eventName of events) {
    const call = { eventName, moment: "before" } as HookCall;
    assert.equal(cursor.asks(call), false);
    assert.equal(cursor.rewrites(call), false);
  }
});

const CURSOR_TOOLS: readonly [string, object, HookCall["tool"]][] = [
  [
    "Write",
    { file_path: "/w/a", content: "x" },
    { kind: "files", changes: [{ kind: "write", path: "/w/a", content: "x" }] },
  ],
  ["Write", { path: "a", contents: "" }, { kind: "files", changes: [{ kind: "write", path: "a", content: "" }] }],
  [
    "StrReplace",
    { path: "a", old_string: "1", new_string: "2", replace_all: true },
    { kind: "files", changes: [{ kind: "edit", path: "a", edits: [{ oldText: "1", newText: "2", all: true }] }] },
  ],
  [
    "Write",
    { file_path: "a", edits: [{ old_string: "1", new_string: "2" }] },
    { kind: "files", changes: [{ kind: "edit", path: "a", edits: [{ oldText: "1", newText: "2", all: false }] }] },
  ],
  // Two readings are none: it is shown as it came.
  [
    "Write",
    { path: "a", content: "x", old_string: "1", new_string: "2" },
    {
      kind: "files",
      changes: [{ kind: "change", path: "a", text: '{"content":"x","new_string":"2","old_string":"1","path":"a"}' }],
    },
  ],
  ["Delete", { file_path: "/w/a" }, { kind: "files", changes: [{ kind: "remove", path: "/w/a" }] }],
  // Which of the two files it is can't be known.
  ["Delete", { file_path: "/w/a", path: "/w/b" }, mine("Delete", { file_path: "/w/a", path: "/w/b" })],
  ["Write", { content: "x" }, mine("Write", { content: "x" })],
  [
    "Read",
    { path: "a", offset: 2, limit: 3 },
    { kind: "look", look: { kind: "file", path: "a", startLine: 2, endLine: 4 } },
  ],
  ["Grep", { pattern: "x" }, { kind: "look", look: { kind: "search", pattern: "x", path: "." } }],
  [
    "Glob",
    { glob_pattern: "*", target_directory: "d" },
    { kind: "look", look: { kind: "names", pattern: "*", path: "d" } },
  ],
  ["Shell", { command: "ls" }, { kind: "inner" }],
  ["MCP:search", { q: "x" }, { kind: "inner" }],
  ["TodoWrite", {}, { kind: "inner" }],
  ["Task", { prompt: "x" }, mine("Task", { prompt: "x" })],
  ["constructor", {}, mine("constructor", {})],
];

function mine(tool: string, given: Readonly<Record<string, unknown>>): HookCall["tool"] {
  return { kind: "mcp", server: "cursor", tool, arguments: given };
}

test("the Cursor dialect reads edits as files, and asks about unknown tools", () => {
  const base = { conversation_id: "c", hook_event_name: "preToolUse", workspace_roots: ["/w"], tool_use_id: "u" };
  for (const [tool_name, tool_input, tool] of CURSOR_TOOLS) {
    const call = cursor.read({ ...base, tool_name, tool_input });
    assert.deepEqual(
      { ...call },
      {
        ...{ eventName: "preToolUse", moment: "before", sessionId: "c", cwd: "/w", callId: "u" },
        ...{ toolName: tool_name, toolInput: tool_input, tool },
      },
      tool_name,
    );
  }
});

test("the Cursor dialect refuses JSON text with a repeated key", () => {
  const event = (tool_input: string) => ({
    ...{ conversation_id: "s", hook_event_name: "beforeMCPExecution", tool_name: "run", tool_input },
  });
  for (const input of ['{"a":1,"a":2}', '{"a":{"b":1,"\\u0062":2}}'])
    assert.throws(() => cursor.read(event(input)), /tool_input isn't valid JSON: A key that occurs twice/);
  const { tool } = cursor.read(event('{"a":1,"b":{"a":2}}'));
  assert.deepEqual(tool.kind === "mcp" && tool.arguments, { a: 1, b: { a: 2 } });
  const plain = cursor.read(event("no {json")).tool;
  assert.deepEqual(plain.kind === "mcp" && plain.arguments, { input: "no {json" });
});

test("the Claude Code dialect hands back only in modes that ask", () => {
  const event = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  const asksIn = (permission_mode: string | undefined, more: object = {}) =>
    claudeCode.asks(claudeCode.read({ ...event, permission_mode, ...more }));
  for (const mode of ["default", "acceptEdits", "plan"]) assert.equal(asksIn(mode), true, mode);
  for (const mode of ["auto", "bypassPermissions", "dontAsk", undefined]) {
    assert.equal(asksIn(mode), false, mode);
    assert.equal(asksIn(mode, { hook_event_name: "PermissionRequest" }), true, mode);
  }
  assert.deepEqual(said(claudeCode, ask, { asksNobody: true }), {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "why" },
  });
});
