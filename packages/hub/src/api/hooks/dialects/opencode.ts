import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { readOpencodeTool } from "./opencode-tools.ts";
import { momentOf, objectSchema } from "./read-event.ts";

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  call_id: z.string(),
  cwd: z.string(),
  tool_name: z.string(),
  tool_input: objectSchema,
  tool_response: z.unknown().optional(),
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["tool.execute.before", "before"],
  ["tool.execute.after", "after"],
]);

/**
 * OpenCode, through our plugin, in a format of ours. The plugin throws unless it is allowed, and the model reads the
 * error.
 */
export const opencode: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of OpenCode: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: read.call_id,
      toolName: read.tool_name,
      toolInput: read.tool_input,
      tool: readOpencodeTool(read.tool_name, read.tool_input),
      ...(moment === "after" ? { ended: readEnd(read.tool_response) } : {}),
    };
  },
  write({ moment }, verdict) {
    if (moment === "after") return NO_ANSWER;
    switch (verdict.kind) {
      case "deny":
      case "ask":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "allow":
        return jsonAnswer({
          decision: "allow",
          ...(verdict.command === undefined ? {} : { command: verdict.command }),
        });
      case "nothing":
        return jsonAnswer({ decision: "allow" });
    }
  },
  // OpenCode's own settings decide whether it asks, and by default allow everything.
  asks: () => false,
  rewrites: () => true,
};

const responseSchema = z.looseObject({
  output: z.string().optional().catch(undefined),
  metadata: z
    .looseObject({ exit: z.int().min(0).max(255).nullish().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A shell command without an exit code was ended early. */
function readEnd(response: unknown): ReportedEnd | undefined {
  const { data } = responseSchema.safeParse(response);
  if (data === undefined) return undefined;
  const stdout = data.output ?? "";
  const { exit } = data.metadata ?? {};
  if (exit === null) return { kind: "aborted", reason: "Ended by the agent", stdout };
  return { kind: "exited", exitCode: exit ?? 0, stdout };
}
