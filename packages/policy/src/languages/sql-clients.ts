import { findSqlProblem } from "./sql.ts";

/** Describe, list and settings of the output; patterns without quotes, backticks, variables or another backslash. */
const PSQL_COMMAND =
  /^\\(?:d[A-Za-z+]*|l\+?|z|sf\+?|sv\+?|conninfo|timing|x|encoding|copyright|h|\?)(?:[ \t]+[\w.*?+-]+)*[ \t]*$/;

const DOT_COMMANDS =
  "changes databases dbinfo dump echo eqp explain fullschema header headers help indexes indices lint mode nullvalue print schema separator sha3sum show stats tables timer version width".split(
    " ",
  );
const DOT_ARGUMENTS = /^(?:[ \t]+(?:[\w.,:;%*+=|-]+|"[\w.,:;%*+=| -]*"|'[\w.,:;%*+=| -]*'))*[ \t]*$/;

/** The word of `psql -c`: SQL, or a single command of psql's own. */
export function findPsqlProblem(text: string): string | undefined {
  if (!text.trimStart().startsWith("\\")) return findSqlProblem(text, "psql");
  return PSQL_COMMAND.test(text.trimStart()) ? undefined : "Gives psql a command that isn't in the tables";
}

/** A word of `sqlite3 db word…`: SQL, or a single command of the shell's own. Abbreviations aren't read. */
export function findSqliteProblem(text: string): string | undefined {
  if (!text.startsWith(".")) return findSqlProblem(text, "sqlite");
  const name = /^\.(\w+)/.exec(text)?.[1] ?? "";
  const known = DOT_COMMANDS.includes(name) && DOT_ARGUMENTS.test(text.slice(name.length + 1));
  return known ? undefined : "Gives sqlite3 a command that isn't in the tables";
}

/** The word of `mysql -e`; `\G` at its end asks for another form of output. */
export function findMysqlProblem(text: string): string | undefined {
  return findSqlProblem(text.replace(/\\[gG]\s*;?\s*$/, ""), "mysql");
}
