import { riskWord } from "@countersign/protocol/describe";
import { visible, visibleLines } from "@countersign/protocol/text";
import type { Played } from "./play.ts";
import type { DemoStep } from "./steps.ts";

export function openingLines(project: string): string[] {
  return [
    "An agent works in a scratch project, and a person answers what Countersign asks. Both are scripted;",
    `the hub, the commands and the records are real. All of it is in ${visible(project)} and is removed at the end.`,
  ];
}

/** One step, as it happened. */
export function stepLines(number: number, { step, asked, outcome }: Played): string[] {
  return [
    "",
    `${number}. The agent   $ ${step.command}`,
    ...labelled("Countersign", asked ? askedLines(asked) : [unasked(outcome)]),
    ...(asked ? labelled("The person", [answerLine(step.answer)]) : []),
    ...labelled("Result", [resultLine(outcome)]),
  ];
}

/** The label stands before the first line, the others line up with it. */
function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `   ${(index === 0 ? label : "").padEnd(11)} ${line}`);
}

function askedLines({ riskLevel, riskReasons }: NonNullable<Played["asked"]>): string[] {
  return [`${riskWord(riskLevel)}, so a person is asked`, ...riskReasons.map((reason) => `- ${visible(reason)}`)];
}

function unasked({ kind, reason }: Played["outcome"]): string {
  return kind === "denied" ? `denies it: ${visible(reason ?? "")}` : "safe, so nobody is asked";
}

function answerLine({ decision, reason }: DemoStep["answer"]): string {
  return decision === "deny" ? `no: ${visible(reason ?? "")}` : "yes, this once";
}

function resultLine({ kind, exitCode, stdout, reason }: Played["outcome"]): string {
  if (kind === "denied") return `did not run; the agent reads "${visible(reason ?? "")}"`;
  if (kind !== "exited") return `${kind}${reason === undefined ? "" : `: ${visible(reason)}`}`;
  const output = visibleLines((stdout ?? "").trimEnd()).filter((line) => line !== "");
  return output.length > 0 ? `ran and printed "${output.join(" ")}"` : `ran and ended with code ${exitCode ?? "none"}`;
}
