import { HubError, readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import {
  type Dialect,
  type FileChange,
  type HookCall,
  type HookTool,
  NO_ANSWER,
  type ReportedEnd,
} from "../calls/index.ts";
import { callOf, claudeEventSchema, permissionAnswer, rewritten, specific } from "./claude-code.ts";
import { mcpTool } from "./mcp-tool.ts";
import { AGENT_RUN_MS, momentOf, saidSchema } from "./read-event.ts";

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
function readCodexTool(name: string, input: Input): HookTool {
  if (name === "Bash") {
    const { command, description, workdir } = readOrRefuse(shellSchema, input, "tool_input.");
    return { kind: "shell", command, cwd: workdir, reason: description, timeoutMs: AGENT_RUN_MS };
  }
  if (name === "apply_patch") {
    return { kind: "files", changes: readPatch(readOrRefuse(patchSchema, input, "tool_input.").command) };
  }
  return INNER.has(name) ? { kind: "inner" } : (mcpTool("codex", name, input) ?? { kind: "unknown" });
}

const HEAD = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const MAX_FILES = 256;

interface Section {
  readonly verb: string;
  readonly path: string;
  readonly lines: string[];
}

/**
 * Parses Codex's patch format. Which files it touches must be certain, so an unknown line throws. Hunks of an update
 * are shown as they came, because only Codex knows how it applies them.
 */
function readPatch(text: string): FileChange[] {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== BEGIN || lines.at(-1)?.trim() !== END) throw unreadable("it doesn't begin or end as one");
  const sections: Section[] = [];
  for (const line of lines.slice(1, -1)) {
    const [, verb, path] = HEAD.exec(line) ?? [];
    if (verb !== undefined && path !== undefined) sections.push({ verb, path, lines: [] });
    else if (sections.length === 0) throw unreadable("it has lines before its first file");
    else sections.at(-1)?.lines.push(line);
  }
  if (sections.length === 0) throw unreadable("it has no files");
  if (sections.length > MAX_FILES) throw new HubError("LIMIT", `The patch has more than ${MAX_FILES} files`);
  return sections.map(changeOf);
}

function changeOf({ verb, path, lines }: Section): FileChange {
  if (verb === "Delete") {
    if (lines.some((line) => line.trim() !== "")) throw unreadable(`${path}: what is deleted has no content`);
    return { kind: "remove", path };
  }
  if (verb === "Add") {
    if (lines.some((line) => !line.startsWith("+"))) throw unreadable(`${path}: a new file has only lines with +`);
    return { kind: "write", path, content: lines.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [first = "", ...rest] = lines;
  const [, to] = MOVE.exec(first) ?? [];
  const hunks = to === undefined ? lines : rest;
  const strange = hunks.find((line) => line.startsWith("*** ") && line !== "*** End of File");
  if (strange !== undefined) throw unreadable(`${path}: ${strange.slice(0, 64)} isn't known`);
  const text = hunks.join("\n");
  return to === undefined ? { kind: "change", path, text } : { kind: "move", path, to, text };
}

function unreadable(why: string): HubError {
  return new HubError("INVALID_PARAMS", `The patch can't be read: ${why}`);
}

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["PreToolUse", "before"],
  ["PermissionRequest", "permission"],
  ["PostToolUse", "after"],
]);

/**
 * Codex uses Claude Code's format with fewer values. Before a tool, "allow" is only valid with another command and
 * "ask" never: both would mark the hook as failed, and a failed hook doesn't block. So an allowed call gets no answer,
 * and Codex's own rules apply.
 */
export const codex: Dialect = {
  read(event) {
    const read = readOrRefuse(claudeEventSchema, event, "Not an event of Codex: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      ...callOf(read, moment),
      tool: readCodexTool(read.tool_name, read.tool_input),
      ...(moment === "after" ? { ended: readEnd(read.tool_response) } : {}),
    };
  },
  write(call, verdict) {
    if (call.moment === "after" || verdict.kind === "nothing") return NO_ANSWER;
    if (call.moment === "permission") return verdict.kind === "ask" ? NO_ANSWER : permissionAnswer(verdict);
    if (verdict.kind === "allow") {
      const rewrite = rewritten(call, verdict);
      if (rewrite.updatedInput === undefined) return NO_ANSWER;
      return specific({ hookEventName: call.eventName, permissionDecision: "allow", ...rewrite });
    }
    return specific({
      hookEventName: call.eventName,
      permissionDecision: "deny",
      permissionDecisionReason: verdict.words,
    });
  },
  asks: ({ moment }) => moment === "permission",
  rewrites: ({ moment }) => moment === "before",
};

const responseSchema = z.looseObject({
  output: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  exit_code: z.int().optional(),
});

/** Reads the exit code only before the output, which could hold such a line too. */
function readEnd(response: unknown): ReportedEnd {
  const { data = {} } = responseSchema.safeParse(response);
  const text = typeof response === "string" ? response : (data.output ?? data.stdout ?? "");
  const [head = ""] = text.split(/^Output:/m);
  const isHeaded = /^(?:Chunk ID|Exit code): /.test(text);
  const stated = isHeaded ? /^(?:Process exited with|Exit) code:? (\d{1,3})$/m.exec(head)?.[1] : undefined;
  const exitCode = data.exit_code ?? (stated === undefined ? undefined : Number(stated));
  const texts = { stdout: text, ...(data.stderr === undefined ? {} : { stderr: data.stderr }) };
  if (exitCode !== undefined) return { kind: "exited", exitCode, ...texts };
  return { kind: "exited", reason: "The agent doesn't tell its exit code", ...texts };
}
