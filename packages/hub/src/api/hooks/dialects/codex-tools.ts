import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import type { HookTool } from "../calls/index.ts";
import { readPatch } from "./codex-patch.ts";
import { mcpTool } from "./mcp-tool.ts";
import { AGENT_RUN_MS, saidSchema } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

const shellSchema = z.looseObject({ command: z.string(), description: saidSchema, workdir: z.string().optional() });
const patchSchema = z.looseObject({ command: z.string() });

/** Internal to the agent or between its agents. Not `write_stdin`, which types into a running command. */
const INNER = new Set([
  "close_agent",
  "list_agents",
  "request_user_input",
  "resume_agent",
  "send_input",
  "send_message",
  "sleep",
  "spawn_agent",
  "update_plan",
  "view_image",
  "wait",
  "wait_agent",
]);

/** Codex calls each of its shells "Bash" here. */
export function readCodexTool(name: string, input: Input): HookTool {
  if (name === "Bash") {
    const { command, description, workdir } = readOrRefuse(shellSchema, input, "tool_input.");
    return { kind: "shell", command, cwd: workdir, reason: description, timeoutMs: AGENT_RUN_MS };
  }
  if (name === "apply_patch") {
    return { kind: "files", changes: readPatch(readOrRefuse(patchSchema, input, "tool_input.").command) };
  }
  return INNER.has(name) ? { kind: "inner" } : (mcpTool("codex", name, input) ?? { kind: "unknown" });
}
