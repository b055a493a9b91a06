import { constants } from "node:os";
import { CappedOutput } from "@countersign/jail";
import type { Outcome } from "@countersign/protocol/proposals";
import type { CallResult, ToolResult } from "./tool.ts";

/** Exit codes as timeout(1) and shells use them. */
const TIMED_OUT = 124;
const ABORTED = 130;
const SIGNALLED = 128;
/** Seed 003's code for a denial, used for everything that never ran. */
const NEVER_RAN = 1;

/**
 * Converts an outcome to seed 003's form, which has an exit code for everything. The hub's own record has none for a
 * command that never ran.
 */
export function toResult(called: CallResult, maxOutputBytes: number): ToolResult {
  const { outcome } = called;
  switch (outcome.kind) {
    case "exited":
      return { ...outputOf(outcome, maxOutputBytes), exitCode: outcome.exitCode ?? 0 };
    case "signalled":
      return ended(outcome, { exitCode: SIGNALLED + numberOf(outcome.signal), maxOutputBytes });
    case "timed-out":
      return ended(outcome, { exitCode: TIMED_OUT, maxOutputBytes });
    case "aborted":
      return ended(outcome, { exitCode: ABORTED, maxOutputBytes });
    case "denied":
      return { output: deniedText(called), exitCode: NEVER_RAN };
    default:
      return { output: `Command ${outcome.kind}${withReason(outcome.reason, ": ")}`, exitCode: NEVER_RAN };
  }
}

/** The first sentence is seed 003's, and only for a person's denial: nobody saw what policy denied. */
function deniedText({ outcome, closed }: CallResult): string {
  if (outcome.by !== "person") return `Command denied${withReason(outcome.reason, ": ")}`;
  return `Command denied by user.${withReason(closed ? closed.reason : outcome.reason, ": ")}`;
}

function withReason(reason: string | undefined, before: string): string {
  return reason ? before + reason : "";
}

function ended(outcome: Outcome, how: { readonly exitCode: number; readonly maxOutputBytes: number }): ToolResult {
  const { output, ...rest } = outputOf(outcome, how.maxOutputBytes);
  const ending = `[${outcome.kind}${withReason(outcome.signal, " by ")}]`;
  return { output: joined(output, ending), ...rest, exitCode: how.exitCode };
}

/** The hub caps stdout and stderr separately. Here they are one text and share the cap. */
export function outputOf({ stdout = "", stderr = "", truncated }: Outcome, maxBytes: number): ToolResult {
  const capped = new CappedOutput(maxBytes);
  capped.push(Buffer.from(joined(stdout, stderr)));
  const cut = truncated === true || capped.truncated;
  return { output: capped.toText(), ...(cut ? { truncated: true } : {}) };
}

function joined(first: string, second: string): string {
  return first === "" || second === "" || first.endsWith("\n") ? first + second : `${first}\n${second}`;
}

function numberOf(signal: string | undefined): number {
  return (constants.signals as Record<string, number>)[signal ?? ""] ?? 0;
}
