import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { callOf, claudeEventSchema, permissionAnswer, rewritten, specific } from "./claude-code.ts";
import { readCodexTool } from "./codex-tools.ts";
import { momentOf } from "./read-event.ts";

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
