import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import { ourName } from "../our-name.ts";
import { riskWord } from "./risk-word.ts";
import { timeLeft } from "./time-left.ts";
import { visible, visibleLines } from "./visible.ts";

/** One approval as lines of text. The command is whole: what isn't shown can't be judged. */
export function approvalLines(
  approval: ExecApprovalRequestPayload,
  shown: { shortId: string; nowMs: number },
): string[] {
  const { riskLevel, riskReasons, command, reason, env } = approval;
  return [
    `${riskWord(riskLevel)}  ${shown.shortId}  expires in ${timeLeft(approval.expiresAtMs, shown.nowMs)}`,
    ...commandLines(command).map((line) => `  ${line}`),
    ...riskReasons.map((text) => `  - ${visible(text)}`),
    ...Object.entries(env).map(([name, value]) => `  with ${visible(name)}=${visible(value)}`),
    `  ${origin(approval)}`,
    ...(reason === undefined ? [] : [`  The agent's claim: "${visible(reason)}"`]),
    `  ${ourName()} approve ${shown.shortId}`,
    `  ${ourName()} deny ${shown.shortId} --reason "…"`,
  ];
}

/** Every line is marked, so that a command with line breaks can't draw lines that look like ours. */
export function commandLines(command: string): string[] {
  return visibleLines(command).map((line, index) => `${index === 0 ? "$" : ">"} ${line}`);
}

function origin({ agentName, cwd, jail, enforcement, subject }: ExecApprovalRequestPayload): string {
  if (subject === "policy") return "a change of the policy";
  const limits =
    jail === "none" ? `no jail (enforcement: ${enforcement})` : `jail: ${jail} (enforcement: ${enforcement})`;
  return [visible(agentName), ...(cwd === undefined ? [] : [visible(cwd)]), limits].join(" · ");
}
