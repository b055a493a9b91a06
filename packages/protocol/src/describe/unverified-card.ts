import type { ExecApprovalRequestPayload } from "../proposals/index.ts";
import { REDACTION_MARK } from "../text/index.ts";

/** Why the hash of what would run can't be computed from what is shown; undefined where it can. */
export function explainUnverified({ subject, command, cwd, env }: ExecApprovalRequestPayload): string | undefined {
  const so = "so its hash could not be checked here.";
  if (subject !== "exec") return `This is a change of the policy and not a command, ${so}`;
  if (command.includes(REDACTION_MARK)) return `The hub redacted this command, ${so}`;
  if (Object.values(env).some((text) => text.includes(REDACTION_MARK))) {
    return `The hub redacted this command's environment, ${so}`;
  }
  if (cwd?.includes(REDACTION_MARK)) return `The hub redacted where this command runs, ${so}`;
  return cwd === undefined ? `The hub didn't say where this command runs, ${so}` : undefined;
}

/** Whether the hub holds something of it back, which it shows to an approver who asks. */
export function isRedacted(card: ExecApprovalRequestPayload): boolean {
  return JSON.stringify({ ...card, diff: "" }).includes(REDACTION_MARK);
}
