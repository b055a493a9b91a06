import assert from "node:assert/strict";
import type { Ended } from "./countersign.ts";

let calls = 0;

/** Of each agent, as it asks about a shell's command. */
export const AGENT_EVENTS: Readonly<Record<string, (cwd: string, command: string) => object>> = {
  "claude-code": (cwd, command) => ({
    ...named(),
    ...{ cwd, transcript_path: "/t.jsonl", permission_mode: "default", hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command } },
  }),
  codex: (cwd, command) => ({
    ...named(),
    ...{
      cwd,
      transcript_path: null,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      turn_id: "1",
      model: "m",
    },
    ...{ tool_name: "Bash", tool_input: { command } },
  }),
  gemini: (cwd, command) => ({
    session_id: "s",
    ...{ cwd, transcript_path: "", timestamp: "2026-01-31T12:00:00.000Z", hook_event_name: "BeforeTool" },
    ...{ tool_name: "run_shell_command", tool_input: { command } },
  }),
  cursor: (cwd, command) => ({
    conversation_id: "c",
    ...{ generation_id: "g", workspace_roots: [cwd], hook_event_name: "beforeShellExecution", command, cwd },
  }),
};

function named(): object {
  calls += 1;
  return { session_id: "s", tool_use_id: `use-${calls}` };
}

/** The reason, where an agent would take it for a denial; undefined where it would go on. Anything between the two fails. */
export function denialOf(agent: string, { code, stdout, stderr }: Ended): string | undefined {
  if (code === 2) {
    assert.notEqual(stderr, "");
    return stderr;
  }
  assert.equal(code, 0);
  if (stdout === "") {
    assert.equal(agent, "codex");
    return undefined;
  }
  const answer = JSON.parse(stdout);
  switch (agent) {
    case "gemini":
      return answer.decision === "deny" ? answer.reason : undefined;
    case "cursor":
      return answer.permission === "deny" ? answer.agent_message : undefined;
    default: {
      const { permissionDecision, permissionDecisionReason, updatedInput } = answer.hookSpecificOutput;
      if (permissionDecision === "deny") return permissionDecisionReason;
      // Codex takes an allowance for a failed hook unless it comes with another command.
      assert(agent !== "codex" || updatedInput !== undefined);
      return undefined;
    }
  }
}

export const EVENTS_WITHOUT_SENSE = [
  "",
  "{",
  "null",
  "[]",
  '"PreToolUse"',
  "\0",
  "{}",
  '{"hook_event_name":"SessionStart"}',
  '{"hook_event_name":"__proto__"}',
  '{"hook_event_name":"constructor"}',
  '{"hook_event_name":["PreToolUse"]}',
];
