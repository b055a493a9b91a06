import {
  classify,
  decide,
  type ExplainedEffect,
  explainEffects,
  NO_MACHINE,
  profileSchema,
  type RiskLevel,
  type Verdict,
} from "@countersign/policy";
import { parseJson } from "@countersign/receipts";
import type { BoundedLine } from "./read-lines.ts";

/** A command of the longest length, every character of it escaped (`\u0000`), and other keys beside it. */
export const MAX_LINE_BYTES = 1024 * 1024;

export type BatchAnswer =
  | {
      readonly cmd: string;
      readonly riskLevel: RiskLevel;
      readonly decision: Verdict;
      readonly riskReasons: readonly string[];
      readonly effects: readonly ExplainedEffect[];
    }
  /** In the place of a line that holds no command. INVALID: it isn't `{"cmd": "…"}`. LIMIT: it is too long to be read. */
  | { readonly cmd: null; readonly error: { readonly code: "INVALID" | "LIMIT"; readonly message: string } };

const DEFAULTS = profileSchema.parse({});
/** The default profile has no entries, so no time matters. */
const CIRCUMSTANCES = { enforcement: "jail", attended: true, nowMs: 0 } as const;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** What one line of `explain --batch` is answered with: the default profile, a jail assumed, no look at the machine. */
export function answerLine(line: BoundedLine): BatchAnswer {
  if (line.kind === "too-long") return refuse("LIMIT", `The line is longer than ${MAX_LINE_BYTES} bytes`);
  const cmd = readCommand(line.bytes);
  if (cmd === undefined) return refuse("INVALID", 'The line isn\'t {"cmd": "…"}');
  const classification = classify(cmd, NO_MACHINE);
  const { verdict, riskLevel, riskReasons } = decide(classification, DEFAULTS, CIRCUMSTANCES);
  const effects = explainEffects(classification, CIRCUMSTANCES.enforcement);
  return { cmd, riskLevel, decision: verdict, riskReasons, effects };
}

function refuse(code: "INVALID" | "LIMIT", message: string): BatchAnswer {
  return { cmd: null, error: { code, message } };
}

function readCommand(bytes: Buffer): string | undefined {
  try {
    const { cmd } = Object(parseJson(UTF8.decode(bytes))) as { cmd?: unknown };
    return typeof cmd === "string" ? cmd : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}
