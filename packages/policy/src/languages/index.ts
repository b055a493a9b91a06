import type { Language } from "../tables/tool.ts";
import { findAwkProblem } from "./awk.ts";
import { findBcProblem, findDcProblem } from "./bc.ts";
import { findJqProblem, findYqProblem } from "./jq.ts";
import { findSedProblem } from "./sed.ts";
import { findMysqlProblem, findPsqlProblem, findSqliteProblem } from "./sql-clients.ts";

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
/** Their tools run each piece on its own; all others join them by newlines. */
const SEPARATE: readonly Language[] = ["mysql", "psql", "sqlite"];

/**
 * Why program text isn't harmless, in one sentence; undefined when it surely only turns its input into output. Never
 * throws, and takes time linear in the text.
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

/** U+FFFD stands for bytes that aren't UTF-8: how a tool reads those depends on its locale. */
function hasUnseen(text: string): boolean {
  return /[\0-\x08\x0b-\x1f\x7f\ufffd]/.test(text);
}
