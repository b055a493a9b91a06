import { BARE_PRAGMAS, BEFORE_PARENTHESIS, CHANGING, GUARDED, PRAGMAS_OF, PURE_FUNCTIONS } from "./sql-names.ts";
import { type SqlDialect, type SqlToken, splitSql } from "./sql-tokens.ts";

const QUERIES = ["select", "with", "values", "table"];
const UNCLEAR = "that can't be read with certainty";

/** Why SQL does more than look. `dialect` says whose client gets it. */
export function findSqlProblem(text: string, dialect: SqlDialect): string | undefined {
  const says = (problem: string) => `Gives ${dialect === "sqlite" ? "sqlite3" : dialect} SQL ${problem}`;
  const tokens = splitSql(text, dialect);
  if (tokens === undefined) return says(UNCLEAR);
  for (const statement of splitStatements(tokens)) {
    const problem = findStatementProblem(statement, dialect);
    if (problem !== undefined) return says(problem);
  }
  return undefined;
}

function splitStatements(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const statements: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "mark" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function findStatementProblem(tokens: readonly SqlToken[], dialect: SqlDialect): string | undefined {
  const [first, second] = tokens.filter(({ text, kind }) => kind !== "mark" || text !== "(");
  if (first?.kind !== "word") return UNCLEAR;
  if (first.text === "explain") return findExplainProblem(skipExplain(tokens));
  if (first.text === "pragma" && dialect === "sqlite") return findPragmaProblem(tokens.slice(1));
  const looks = ["show", "describe", "desc"].includes(first.text);
  const enters = first.text === "use" && dialect === "mysql" && tokens.length === 2 && second?.kind !== "string";
  if (!looks && !enters && !QUERIES.includes(first.text)) return "that may change data";
  return findQueryProblem(tokens);
}

/** What is explained may run, so only a query will do. */
function findExplainProblem(tokens: readonly SqlToken[]): string | undefined {
  const first = tokens.find(({ text, kind }) => kind !== "mark" || text !== "(");
  return QUERIES.includes(first?.text ?? "") ? findQueryProblem(tokens) : "that may change data";
}

/** `EXPLAIN ANALYZE VERBOSE`, `EXPLAIN (ANALYZE, BUFFERS)`, `EXPLAIN QUERY PLAN`, `EXPLAIN FORMAT=JSON`. */
function skipExplain(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let at = 1;
  const text = () => tokens[at]?.text ?? "";
  const isQuery = QUERIES.includes(tokens[2]?.text ?? "");
  if (text() === "(" && !isQuery) {
    while (at < tokens.length && text() !== ")") at += 1;
    return tokens.slice(at + 1);
  }
  while (["analyze", "verbose", "query", "plan", "extended", "partitions"].includes(text())) at += 1;
  if (text() === "format" && tokens[at + 1]?.text === "=") at += 3;
  return tokens.slice(at);
}

function findPragmaProblem(tokens: readonly SqlToken[]): string | undefined {
  const [name, ...rest] = tokens[1]?.text === "." ? tokens.slice(2) : tokens;
  const known = name?.kind === "word" ? name.text : "";
  if (rest.length === 0)
    return PRAGMAS_OF.has(known) || BARE_PRAGMAS.has(known) ? undefined : "that may change settings";
  const [open, value, close] = rest.map((token) => token.text);
  const asks = rest.length === 3 && open === "(" && close === ")" && value !== ")";
  return asks && PRAGMAS_OF.has(known) ? undefined : "that may change settings";
}

function findQueryProblem(tokens: readonly SqlToken[]): string | undefined {
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "word" && kind !== "quoted") continue;
    const next = tokens[at + 1]?.text ?? "";
    if (kind === "word" && CHANGING.has(text)) return "that may change data";
    if (kind === "word" && text === "for" && (next === "share" || next === "key" || next === "no"))
      return "that takes locks";
    if (kind === "word" && text === "next" && next === "value") return "that may change data";
    if (GUARDED.has(text.toLowerCase())) return "that reads files or passwords";
    if (isCall(tokens, at) && !isPure(tokens, at)) return `that calls ${text}, which isn't in the tables`;
  }
  return undefined;
}

function isCall(tokens: readonly SqlToken[], at: number): boolean {
  const [next, before] = [tokens[at + 1], tokens[at - 1]];
  if (next?.kind !== "mark" || next.text !== "(") return false;
  // `AS t(a, b)` names columns, and so does `WITH t(a, b)`.
  return !(before?.kind === "word" && ["as", "with", "recursive"].includes(before.text));
}

function isPure(tokens: readonly SqlToken[], at: number): boolean {
  const { kind, text } = tokens[at] as SqlToken;
  if (kind === "quoted") return false;
  const qualified = tokens[at - 1]?.text === ".";
  if (qualified) return tokens[at - 2]?.text === "pg_catalog" && PURE_FUNCTIONS.has(text);
  const pragma = /^pragma_(\w+)$/.exec(text)?.[1] ?? "";
  return PURE_FUNCTIONS.has(text) || BEFORE_PARENTHESIS.has(text) || PRAGMAS_OF.has(pragma) || BARE_PRAGMAS.has(pragma);
}
