import type { Language } from "../catalog/tools/index.ts";
import { findAwkProblem, readAwk } from "./awk.ts";
import { findJqProblem, findYqProblem } from "./jq.ts";
import { findSedProblem, readSed } from "./sed.ts";
import { findMysqlProblem, findPsqlProblem, findSqliteProblem } from "./sql.ts";
import type { TextReading } from "./text-reading.ts";

const FINDERS: Readonly<Record<Language, (text: string) => string | undefined>> = {
  awk: findAwkProblem,
  bc: findBcProblem,
  dc: findDcProblem,
  jq: findJqProblem,
  mysql: findMysqlProblem,
  psql: findPsqlProblem,
  sed: findSedProblem,
  sqlite: findSqliteProblem,
  yq: findYqProblem,
};
/** Languages whose tools run each piece separately; others join them with newlines. */
const SEPARATE: readonly Language[] = ["mysql", "psql", "sqlite"];

/**
 * Returns why program text isn't harmless, in one sentence; undefined if it certainly only turns its input into output.
 * Never throws, and is linear in the text.
 */
export function findTextProblem(language: Language, pieces: readonly string[]): string | undefined {
  for (const text of SEPARATE.includes(language) ? pieces : [pieces.join("\n")]) {
    const problem = hasUnseen(text)
      ? `Gives ${language} text with characters that can't be seen`
      : FINDERS[language](text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Reports whether the text contains control characters or U+FFFD, which replaces invalid UTF-8: tools read those bytes
 * by their locale.
 */
function hasUnseen(text: string): boolean {
  return /[\0-\x08\x0b-\x1f\x7f\ufffd]/.test(text);
}

/** Returns what else program text may do. Good enough to find harm, never to prove safety. */
export function readText(language: Language, text: string): TextReading {
  if (language === "sed") return readSed(text);
  if (language === "awk") return readAwk(text);
  const problem = findTextProblem(language, [text]);
  return { commands: [], writes: [], reads: [], runsInput: false, ...(problem === undefined ? {} : { problem }) };
}

/** Numbers, names, operators, statements and strings. A lone `!` runs a program if bc is built on dc. */
const BC = /^(?:[\w\s+\-*/%^().;,=<>&|{}[\]#$:]|!=|"[^"\\]*")*$/;
/** Numbers, arithmetic, the stack, printing and registers. Excludes macros, which are code, input, and `!`. */
const DC = /^(?:[\d\sA-F_.+\-*/%^|~vpnfcdrkioKIOzZX]|[slSL][a-z])*$/;

/** Returns why an expression for bc isn't plain arithmetic. */
export function findBcProblem(text: string): string | undefined {
  return BC.test(text) ? undefined : "Gives bc a program that can't be read with certainty";
}

/** Returns why an expression for dc isn't plain arithmetic. */
export function findDcProblem(text: string): string | undefined {
  if (text.includes("!")) return "Gives dc a program that runs other programs";
  return DC.test(text) ? undefined : "Gives dc a program that can't be read with certainty";
}
