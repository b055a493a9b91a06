import { randomUUID } from "node:crypto";
import type { HookedAgent } from "@countersign/protocol/access";

/** As the agent tells its hook that it is about to run this command. */
export function canaryEvent(
  agent: HookedAgent,
  event: string,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): object {
  const session = `doctor-${randomUUID()}`;
  switch (agent) {
    case "claude-code":
    case "codex":
      return {
        ...{ session_id: session, transcript_path: "", cwd, permission_mode: "default", hook_event_name: event },
        ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: randomUUID() },
      };
    case "gemini":
      return {
        ...{
          session_id: session,
          transcript_path: "",
          cwd,
          hook_event_name: event,
          timestamp: new Date().toISOString(),
        },
        ...{ tool_name: "run_shell_command", tool_input: { command } },
      };
    case "cursor":
      return {
        ...{ conversation_id: session, generation_id: randomUUID(), hook_event_name: event, workspace_roots: [cwd] },
        ...cursorFields(event, { command, cwd }),
      };
    case "opencode":
      return { tool: "bash", sessionID: session, callID: randomUUID(), args: { command } };
  }
}

function cursorFields(event: string, shell: { readonly command: string; readonly cwd: string }): object {
  switch (event) {
    case "beforeMCPExecution":
      return { tool_name: "canary", tool_input: "{}", url: "http://127.0.0.1:9" };
    case "preToolUse":
      return { tool_name: "Delete", tool_input: { file_path: `${shell.cwd}/canary` }, tool_use_id: randomUUID() };
    default:
      return shell;
  }
}
