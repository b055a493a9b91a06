import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { readGeminiTool } from "./gemini-tools.ts";
import { momentOf, objectSchema } from "./read-event.ts";

const eventSchema = z.looseObject({
  session_id: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string(),
  tool_name: z.string(),
  tool_input: objectSchema,
  tool_response: z.unknown().optional(),
  mcp_context: z.looseObject({ server_name: z.string(), tool_name: z.string() }).optional(),
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["BeforeTool", "before"],
  ["AfterTool", "after"],
]);

/** Gemini CLI treats any text as allowance if the exit code is 0, so nothing else is printed. */
export const gemini: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of Gemini CLI: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: undefined,
      toolName: read.tool_name,
      toolInput: read.tool_input,
      tool: readGeminiTool(read),
      ...(moment === "after" ? { ended: readEnd(read.tool_response) } : {}),
    };
  },
  write({ moment, toolInput }, verdict) {
    if (moment === "after") return NO_ANSWER;
    switch (verdict.kind) {
      case "deny":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "ask":
        return jsonAnswer({ decision: "ask", systemMessage: verdict.words });
      case "allow": {
        if (verdict.command === undefined) return jsonAnswer({ decision: "allow" });
        // The whole input: depending on the caller it replaces the old one or is merged into it.
        const tool_input = { ...toolInput, command: verdict.command };
        return jsonAnswer({ decision: "allow", hookSpecificOutput: { hookEventName: "BeforeTool", tool_input } });
      }
      case "nothing":
        return NO_ANSWER;
    }
  },
  asks: () => true,
  rewrites: () => true,
};

const responseSchema = z.looseObject({
  llmContent: z.unknown(),
  error: z.looseObject({ message: z.string().optional(), type: z.string().optional() }).nullish(),
});

/** The text for the model has lines for an exit code that isn't 0, a signal, or an early end. */
function readEnd(response: unknown): ReportedEnd | undefined {
  const { data } = responseSchema.safeParse(response);
  const text = typeof data?.llmContent === "string" ? data.llmContent : "";
  const stdout = text;
  if (/^Background PIDs?: |^Command moved to background/m.test(text)) return undefined;
  if (/^Command was (?:cancelled|automatically cancelled)/m.test(text)) {
    return { kind: "aborted", reason: "Cancelled in the agent", stdout };
  }
  // The last such line, because the output before it could hold one too.
  const code = [...text.matchAll(/^Exit Code: (\d{1,3})$/gm)].at(-1)?.[1];
  if (code !== undefined) return { kind: "exited", exitCode: Number(code), stdout };
  if (/^Signal: \S/m.test(text) || data?.error) {
    return { kind: "exited", reason: "The agent says that it failed", stdout, stderr: data?.error?.message ?? "" };
  }
  return { kind: "exited", exitCode: 0, stdout };
}
