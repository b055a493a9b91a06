import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { readAcpTool } from "./acp-tools.ts";
import { momentOf, objectSchema } from "./read-event.ts";

const PERMISSION = "session/request_permission";
const TERMINAL = "terminal/create";

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  call_id: z.string(),
  cwd: z.string().optional(),
  params: objectSchema,
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  [PERMISSION, "before"],
  [TERMINAL, "before"],
  ["fs/read_text_file", "before"],
  ["fs/write_text_file", "before"],
  ["ended", "after"],
]);

/**
 * An agent of the Agent Client Protocol, through `countersign acp`. Events are the agent's requests; the form of the
 * answer is ours.
 */
export const acp: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of an ACP agent: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: read.call_id,
      toolName: read.hook_event_name,
      toolInput: read.params,
      tool: moment === "after" ? { kind: "unknown" } : readAcpTool(read.hook_event_name, read.params),
      ...(moment === "after" ? { ended: readEnd(read.params) } : {}),
    };
  },
  write({ moment, tool }, verdict) {
    if (moment === "after") return NO_ANSWER;
    // A terminal may run only a judged command, nothing that was merely mentioned.
    const judged = tool.kind;
    switch (verdict.kind) {
      case "deny":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "allow":
        return jsonAnswer({
          decision: "allow",
          judged,
          ...(verdict.command === undefined ? {} : { command: verdict.command }),
        });
      // Left to the editor.
      case "ask":
      case "nothing":
        return jsonAnswer({ decision: "ask", judged });
    }
  },
  asks: ({ eventName }) => eventName === PERMISSION,
  rewrites: ({ eventName }) => eventName === TERMINAL,
};

const endSchema = z.looseObject({
  exitCode: z.int().min(0).max(255).optional(),
  output: z.string().optional(),
  failed: z.string().optional(),
  aborted: z.string().optional(),
  rejected: z.string().optional(),
});

function readEnd(params: unknown): ReportedEnd {
  const { exitCode, output: stdout = "", failed, aborted, rejected } = readOrRefuse(endSchema, params, "params.");
  if (rejected !== undefined) return { kind: "not-started", reason: rejected };
  if (aborted !== undefined) return { kind: "aborted", reason: aborted, stdout };
  if (failed !== undefined) return { kind: "exited", reason: failed, stdout };
  return exitCode === undefined ? { kind: "exited", stdout } : { kind: "exited", exitCode, stdout };
}
