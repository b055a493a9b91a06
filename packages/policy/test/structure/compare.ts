import { RISK_LEVELS } from "@countersign/vocabulary";
import { classify } from "../../src/classify/classify.ts";
import type { Part } from "../../src/model/classification.ts";
import { shrink } from "../generate/shrink.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { isKnownRefusal } from "./known-refusals.ts";
import { outlineOf } from "./outline.ts";
import { type BashReading, prettyPrint } from "./pretty-print.ts";
import { whyNotPrintable } from "./printable.ts";

/** How our reading of one command stands to bash's. */
type Verdict =
  /** The same words, redirects and nesting, and the same classification. */
  | "same"
  | "both refuse"
  /** Costs a question, never safety. */
  | "opaque to us only"
  /** bash can't print it back. */
  | "not compared"
  | "bash refuses, known"
  | "WE READ WHAT BASH REFUSES"
  | "WE READ OTHERWISE"
  | "WE JUDGE OTHERWISE";

const context = fixtureContext();

/** Asks bash about every command; the verdicts in capitals are violations. */
export async function compareStructure(commands: readonly string[]): Promise<Verdict[]> {
  const readings = await prettyPrint(commands);
  return commands.map((command, index) => compare(command, readings[index] as BashReading));
}

/** The first violation, as small as it can be made, in words; undefined when there is none. */
export async function describeViolation(
  commands: readonly string[],
  verdicts: readonly Verdict[],
): Promise<string | undefined> {
  const at = verdicts.findIndex((verdict) => verdict === verdict.toUpperCase());
  if (at === -1) return undefined;
  const command = commands[at] as string;
  const small = await shrink(command, async (candidates) =>
    (await compareStructure(candidates)).map((one) => one === verdicts[at]),
  );
  return `${verdicts[at]}: ${JSON.stringify(small)}, found in ${JSON.stringify(command)}`;
}

/** How often each verdict came, for the test's report. */
export function countVerdicts(verdicts: readonly Verdict[]): string {
  const counts = Object.entries(Object.groupBy(verdicts, (verdict) => verdict));
  return counts.map(([verdict, all]) => `${verdict}: ${all?.length}`).join("; ");
}

function compare(command: string, reading: BashReading): Verdict {
  const ours = classify(command, context);
  if (reading.kind === "syntax-error") {
    if (ours.opaque) return "both refuse";
    return isKnownRefusal(command) ? "bash refuses, known" : "WE READ WHAT BASH REFUSES";
  }
  if (ours.opaque) return "opaque to us only";
  if (whyNotPrintable(command) !== undefined) return "not compared";
  if (spell(outlineOf(command)) !== spell(outlineOf(reading.text))) return "WE READ OTHERWISE";
  // A text to translate is never literal to us, so its loops can't be followed; bash prints it as a plain one.
  if (command.includes('$"')) return "same";
  // And control characters are plain in its print, where the original has an escape that shows them.
  if (/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(reading.text)) return "same";
  const theirs = classify(reading.text, context);
  const milder = RISK_LEVELS.indexOf(ours.riskLevel) < RISK_LEVELS.indexOf(theirs.riskLevel);
  return !milder && seesAll(ours.parts, theirs.parts) ? "same" : "WE JUDGE OTHERWISE";
}

/** bash marks control characters with one of its own when it prints them. */
function spell(outline: unknown): string {
  return JSON.stringify(outline ?? null).replaceAll("\\u0001", "");
}

/**
 * Every command that we see in bash's print we saw in the original. The order may differ, since bash prints redirects last;
 * a word that we didn't take for literal may be anything, so those that are alike go together first.
 */
function seesAll(ours: readonly Part[], theirs: readonly Part[]): boolean {
  const left = ours.map(({ words }) => words);
  const take = (words: Part["words"], isSame: (one: string | null, other: string | null) => boolean): boolean => {
    const at = left.findIndex(
      (own) => own.length === words.length && own.every((word, index) => isSame(word, words[index] ?? null)),
    );
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  };
  const isAlike = (one: string | null, other: string | null) => spell(one) === spell(other);
  const others = theirs.filter(({ words }) => !take(words, isAlike));
  return others.every(({ words }) => take(words, (one, other) => one === null || isAlike(one, other)));
}
