import { explainUnverified, isRedacted, jailWords, riskWord } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible, visibleLines } from "@countersign/protocol/text";
import { ourName } from "../base/index.ts";
import { quoted, timeLeft } from "../terminal/index.ts";
import { scriptLines } from "./script-lines.ts";

/** One approval as lines of text. The command is whole: what isn't shown can't be judged. */
export function approvalLines(
  approval: ExecApprovalRequestPayload,
  shown: { shortId: string; nowMs: number },
): string[] {
  const { riskLevel, riskReasons, command, diff, reason, env, count = 1 } = approval;
  const unchecked = explainUnverified(approval);
  return [
    `${riskWord(riskLevel)}  ${shown.shortId}  ${count > 1 ? `×${count} same question  ` : ""}expires in ${timeLeft(approval.expiresAtMs, shown.nowMs)}`,
    `  ${limits(approval)}`,
    ...openingLines(approval).map((line) => `  ${line}`),
    ...unheldLines(approval).map((line) => `  ${line}`),
    ...commandLines(command).map((line) => `  ${line}`),
    ...(diff === undefined ? [] : visibleLines(diff).map((line) => `  | ${line}`)),
    ...riskReasons.map((text) => `  - ${visible(text)}`),
    ...scriptLines(approval.effects).map((line) => `  ${line}`),
    ...codeLines(approval).map((line) => `  ${line}`),
    ...Object.entries(env).map(([name, value]) => `  with ${visible(name)}=${visible(value)}`),
    ...origin(approval).map((text) => `  ${text}`),
    ...(unchecked === undefined ? [] : [`  ${unchecked}`]),
    ...(reason === undefined ? [] : [`  The agent's claim: "${visible(reason)}"`]),
    `  ${ourName()} approve ${shown.shortId}`,
    ...(count > 1 ? [`  ${ourName()} approve ${shown.shortId} --times ${count}`] : []),
    `  ${ourName()} deny ${shown.shortId} --reason "…"`,
    ...(isRedacted(approval) ? [`  ${ourName()} pending --reveal ${shown.shortId}`] : []),
  ];
}

/** Every line is marked, so that a command with line breaks can't draw lines that look like ours. */
export function commandLines(command: string): string[] {
  return visibleLines(command).map((line, index) => `${index === 0 ? "$" : ">"} ${line}`);
}

/** What it starts besides programs of the system, and which version of it. */
export function codeLines({ code = [] }: Pick<ExecApprovalRequestPayload, "code">): string[] {
  return code.map(({ path, sha256 }) => `runs the code in ${quoted(path)}, sha256 ${visible(sha256.slice(0, 12))}`);
}

/** What its jail opens outside of the workspace, and what it can't. */
export function openingLines({
  opens = [],
  fails = [],
}: Pick<ExecApprovalRequestPayload, "opens" | "fails">): string[] {
  return [
    ...opens.map((file) => `opens for writing, alone: ${visible(file)}`),
    ...fails.map((write) => `will fail: ${visible(write)}`),
  ];
}

/** Limits that don't hold in full, with the reason. */
export function unheldLines({ unheld = [] }: Pick<ExecApprovalRequestPayload, "unheld">): string[] {
  return unheld.map((limit) => `limit not enforced in full: ${visible(limit)}`);
}

/** First and alone on its line: what others wrote comes after it. */
function limits(card: ExecApprovalRequestPayload): string {
  const { enforcement, subject } = card;
  if (subject === "policy") return "a change of the policy";
  return `${jailWords(card)} (enforcement: ${enforcement})`;
}

function origin({ agentName, cwd, subject }: ExecApprovalRequestPayload): string[] {
  if (subject === "policy") return [];
  return [`by ${quoted(agentName)}`, ...(cwd === undefined ? [] : [`in ${quoted(cwd)}`])];
}
