import * as z from "zod";
import type { ReportedEnd } from "../calls/index.ts";
import type { ClaudeEvent } from "./claude-code.ts";

const responseSchema = z.looseObject({
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  interrupted: z.boolean().optional(),
  backgroundTaskId: z.string().optional(),
});

/** Undefined: it goes on in the background, and nobody tells how that ends. */
export function readClaudeEnd(event: ClaudeEvent): ReportedEnd | undefined {
  switch (event.hook_event_name) {
    case "PermissionDenied":
      return { kind: "not-started", reason: "Claude Code's own rules denied it" };
    case "PostToolUseFailure":
      return readFailure(event);
    default:
      return readResponse(event.tool_response);
  }
}

/** It tells the exit code of a shell command at the beginning of its text, and only where it isn't 0. */
function readFailure({ error, is_interrupt: interrupted }: ClaudeEvent): ReportedEnd {
  const text = typeof error === "string" ? error : "";
  if (interrupted === true) return { kind: "aborted", reason: "Interrupted by the agent's user", stderr: text };
  const [, code] = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text) ?? [];
  if (code !== undefined) return { kind: "exited", exitCode: Number(code), stderr: text };
  return { kind: "exited", reason: "The agent says that it failed, and not how", stderr: text };
}

function readResponse(response: unknown): ReportedEnd | undefined {
  const { data = {} } = responseSchema.safeParse(response);
  if (data.backgroundTaskId !== undefined) return undefined;
  const texts = { stdout: data.stdout ?? "", stderr: data.stderr ?? "" };
  if (data.interrupted) return { kind: "aborted", reason: "Interrupted by the agent's user", ...texts };
  return { kind: "exited", exitCode: 0, ...texts };
}
