import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { findTranscripts } from "./find-transcripts.ts";
import { readTranscript } from "./read-transcript.ts";

function user(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "cs-coverage-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, lines: readonly unknown[]) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
    return file;
  };
  const machine = { userHome: root, cwd: root, env: {}, platform: "linux", root: "" } as const;
  const told = async () => {
    const all = [];
    for (const transcript of findTranscripts(machine, 0))
      for await (const one of readTranscript(transcript)) all.push(one);
    return all.map((one) =>
      "call" in one
        ? [one.call.agent, one.call.sessionId, one.call.callId, one.call.tool, one.call.command]
        : one.unreadable.line,
    );
  };
  return { root, put, told };
}

const T = "2026-11-16T11:00:00.000Z";

test("calls are found in what each agent writes, once each", async (t) => {
  const { root, put, told } = user(t);
  const bash = (id: string, command: string) => ({ type: "tool_use", id, name: "Bash", input: { command } });
  const claude = (content: unknown) => ({
    type: "assistant",
    sessionId: "s",
    timestamp: T,
    cwd: "/w",
    message: { content },
  });
  put(".claude/projects/-w/s.jsonl", [
    claude([{ type: "text", text: "hm" }, bash("a", "ls"), { type: "tool_use", id: "b", name: "Read", input: {} }]),
    claude([{ type: "tool_use", id: "c", name: "mcp__git__push", input: {} }]),
    { type: "user", message: { content: [bash("d", "no call: somebody quotes one")] } },
  ]);
  put(".claude/projects/-w/s/subagents/agent-1.jsonl", [claude([bash("e", "pwd")])]);
  const call = { type: "function_call", name: "exec_command", arguments: '{"cmd":"id"}', call_id: "call_1" };
  const ran = (id: string, command: string) => ({
    ...{ type: "item_completed" },
    item: { type: "CommandExecution", id, command: ["/bin/bash", "-lc", command] },
  });
  put(".codex/sessions/2026/11/16/rollout-x.jsonl", [
    { type: "session_meta", timestamp: T, payload: { id: "c", cwd: "/w" } },
    { type: "response_item", timestamp: T, payload: call },
    { type: "event_msg", timestamp: T, payload: ran("call_1", "id") },
    { type: "event_msg", timestamp: T, payload: ran("exec-1", "nested") },
    {
      type: "response_item",
      timestamp: T,
      payload: { type: "custom_tool_call", name: "apply_patch", call_id: "p", input: "" },
    },
  ]);
  const message = {
    id: "m",
    timestamp: T,
    type: "gemini",
    toolCalls: [{ id: "1", name: "run_shell_command", args: { command: "df" } }],
  };
  put(".gemini/tmp/w/chats/session-1.jsonl", [{ sessionId: "g", kind: "main" }, message, message]);
  mkdirSync(join(root, ".local/share/opencode"), { recursive: true });
  const db = new DatabaseSync(join(root, ".local/share/opencode/opencode.db"));
  db.exec(
    "CREATE TABLE session (id TEXT, directory TEXT); CREATE TABLE part (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)",
  );
  const part = { type: "tool", tool: "bash", callID: "o1", state: { input: { command: "who" } } };
  db.prepare("INSERT INTO part VALUES ('p', 'o', 1, ?)").run(JSON.stringify(part));
  db.close();
  assert.deepEqual(await told(), [
    ["claude-code", "s", "e", "Bash", "pwd"],
    ["claude-code", "s", "a", "Bash", "ls"],
    ["claude-code", "s", "c", "mcp__git__push", undefined],
    ["codex", "c", "call_1", "Bash", "id"],
    ["codex", "c", "exec-1", "Bash", "nested"],
    ["codex", "c", "p", "apply_patch", undefined],
    ["gemini", "g", undefined, "Bash", "df"],
    ["opencode", "o", "o1", "Bash", "who"],
  ]);
});

test("hostile, huge and half-written transcripts end in calls or in unreadable lines, never in a crash", async (t) => {
  const { root, put, told } = user(t);
  const good = {
    type: "assistant",
    sessionId: "s",
    message: { content: [{ type: "tool_use", id: "a", name: "Bash", input: { command: "ls" } }] },
  };
  const file = put(".claude/projects/-w/s.jsonl", [
    ...["not json", "[1]", "null", "", '"text"', `${"[".repeat(100_000)}`],
    { type: "assistant", message: null },
    { type: "assistant", sessionId: 7, message: { content: { length: 1e9 } } },
    {
      type: "assistant",
      message: { content: [null, 7, { type: "tool_use", name: 7 }, { type: "tool_use", name: "Bash", input: null }] },
    },
    `{"type":"assistant","pad":"${"x".repeat(5_000_000)}"}`,
    good,
    '{"type":"assistant","message":{"content":[{"type":"tool_u',
  ]);
  put(".local/share/opencode/opencode.db", ["no database"]);
  mkdirSync(join(root, ".codex"), { recursive: true });
  symlinkSync("/", join(root, ".codex", "sessions"));
  symlinkSync(dirname(file), join(dirname(file), "loop"));
  assert.deepEqual(await told(), [
    1,
    6,
    ["claude-code", "", undefined, "Bash", undefined],
    ["claude-code", "s", "a", "Bash", "ls"],
    0,
    0,
  ]);
});
