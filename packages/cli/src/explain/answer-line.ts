import { classify, decide, type ExplainedEffect, explainEffects, profileSchema } from "@countersign/policy";
import type { Enforcement, RiskLevel, Verdict } from "@countersign/vocabulary";
import type { BoundedLine } from "../base/index.ts";
import { assumedMachine, findOutside, findRunning, scriptsOf } from "./assumed-machine.ts";
import { type BatchLine, readLine } from "./read-line.ts";

/** A command of the longest length, every character of it escaped (`\u0000`), and other keys beside it. */
export const MAX_LINE_BYTES = 1024 * 1024;

export type BatchAnswer =
  | {
      readonly cmd: string;
      readonly riskLevel: RiskLevel;
      readonly decision: Verdict;
      readonly riskReasons: readonly string[];
      readonly effects: readonly ExplainedEffect[];
      /** Where the line says which files there are: those that the command would run. */
      readonly code?: readonly string[];
    }
  /** In the place of a line that can't be judged. INVALID: a key is missing, mistyped or wrong. LIMIT: the line is too long. */
  | {
      readonly cmd: null;
      readonly error: { readonly code: "INVALID" | "LIMIT"; readonly message: string; readonly line: number };
    };

const DEFAULTS = profileSchema.parse({});
const ENFORCEMENT = { enforced: "jail", none: "none" } as const satisfies Record<string, Enforcement>;

/** What a line of `explain --batch` is answered with, by its number: the default profile, and no look at the machine. */
export function answerLine(line: BoundedLine, number: number): BatchAnswer {
  if (line.kind === "too-long") return refuse("LIMIT", `is longer than ${MAX_LINE_BYTES} bytes`, number);
  const reading = readLine(line.bytes);
  return "line" in reading ? judge(reading.line, number) : refuse("INVALID", reading.problem, number);
}

function judge({ cmd, cwd, jail = "enforced", files }: BatchLine, number: number): BatchAnswer {
  const machine = assumedMachine(cwd, files);
  const outside = findOutside(machine);
  if (outside !== undefined) return refuse("INVALID", `files: ${outside} isn't in the workspace`, number);
  const enforcement = ENFORCEMENT[jail];
  const classification = classify(cmd, machine.context);
  // The default profile has no entries, so no time matters.
  const circumstances = { enforcement, attended: true, nowMs: 0 } as const;
  const { verdict, riskLevel, riskReasons } = decide(classification, DEFAULTS, circumstances);
  const shown = files === undefined ? undefined : scriptsOf(machine);
  const effects = explainEffects(classification, enforcement, shown);
  const code = files === undefined ? {} : { code: findRunning(classification.parts, machine) };
  return { cmd, riskLevel, decision: verdict, riskReasons, effects, ...code };
}

function refuse(code: "INVALID" | "LIMIT", problem: string, line: number): BatchAnswer {
  return { cmd: null, error: { code, message: `Line ${line}: ${problem}`, line } };
}
