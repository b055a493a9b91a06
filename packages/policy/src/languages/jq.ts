import { Cursor } from "./cursor.ts";

/** Returns why a jq filter does more than turn its inputs into output. */
export function findJqProblem(text: string): string | undefined {
  return findProblem(text, "jq");
}

/** Returns the same for both programs named yq: one runs jq, the other has a similar language of its own. */
export function findYqProblem(text: string): string | undefined {
  return findProblem(text, "yq");
}

function findProblem(text: string, language: "jq" | "yq"): string | undefined {
  const says = (what: string) => `Gives ${language} a filter that ${what}`;
  const unclear = says("can't be read with certainty");
  const tokens = splitJq(text, language);
  if (tokens === undefined) return unclear;
  const known = (name: string) =>
    JQ_PURE.has(name) || JQ_KEYWORDS.has(name) || (language === "yq" && YQ_PURE.has(name));
  const own = language === "jq" ? findDefined(tokens) : new Set<string>();
  for (const token of findUses(tokens, language)) {
    const reach = token.text
      .split(/[.-]/)
      .map((part) => JQ_REACHES.get(part))
      .find((one) => one !== undefined);
    if (reach !== undefined) return says(reach);
    if (/^\$__(?!loc__$)/.test(token.text)) return unclear;
    if (token.kind === "name" && !known(token.text) && !own.has(token.text)) return unclear;
  }
  return undefined;
}

/** Keywords that span commas, so that a name after one isn't always a key. */
const REACHING: readonly string[] = ["def", "label", "as"];

/** Yields the names and variables that compute something; in yq fields too, where a dash may be a minus sign. */
function* findUses(tokens: readonly JqToken[], language: "jq" | "yq"): Iterable<JqToken> {
  const open: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const { kind, text } = token;
    if (kind === "name" && language === "jq" && open.at(-1) === "{" && isKeyPlace(tokens, at)) continue;
    if (kind === "variable" || kind === "name" || (kind === "field" && text.includes("-"))) yield token;
    if (isOpening(token) || (kind === "name" && REACHING.includes(text))) open.push(text);
    else if (isClosing(token)) {
      while (REACHING.includes(open.at(-1) ?? "")) open.pop();
      open.pop();
    }
  }
}

function isKeyPlace(tokens: readonly JqToken[], at: number): boolean {
  const [before, after] = [tokens[at - 1]?.text ?? "", tokens[at + 1]?.text ?? ""];
  return (before === "{" || before === ",") && (after === ":" || after === "," || after === "}");
}

function isOpening({ kind, text }: JqToken): boolean {
  return kind === "string" ? text.endsWith("\\(") : text === "{" || text === "[" || text === "(" || text === "if";
}

function isClosing({ kind, text }: JqToken): boolean {
  return kind !== "string" && (text === "}" || text === "]" || text === ")" || text === "end");
}

/** Returns the names of defined functions and their parameters. */
function findDefined(tokens: readonly JqToken[]): ReadonlySet<string> {
  const found = new Set<string>();
  let inParameters = false;
  for (const [at, { kind, text }] of tokens.entries()) {
    const [before, two] = [tokens[at - 1]?.text, tokens[at - 2]?.text];
    if (kind === "name" && (before === "def" || inParameters)) found.add(text);
    if (text === "(" && two === "def") inParameters = true;
    else if (text === ")") inParameters = false;
  }
  return found;
}

interface JqToken {
  /** A string that contains code is several tokens: its text up to `\(`, the code, `)`, and so on. */
  readonly kind: "name" | "field" | "variable" | "format" | "number" | "string" | "mark";
  readonly text: string;
}

const SKIPPED = /[ \t\n]+/y;
const COMMENT = /#[^\n]*/y;
const STRING_PART = /(?:[^"\\]|\\[^(])*/y;
const PATTERNS: readonly (readonly [JqToken["kind"], RegExp])[] = [
  ["name", /[A-Za-z_]\w*/y],
  ["variable", /\$[A-Za-z_]\w*/y],
  ["format", /@[A-Za-z]\w*/y],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y],
  ["mark", /\.\./y],
  ["field", /\.[A-Za-z_]\w*/y],
  ["mark", /\?\/\/=?|\/\/=?|[-+*/%|=!<>]=|:(?!:)|[-+*/%|=<>.,;?()[\]{}]/y],
];
/** yq reads a field up to the next of these, even over quotes, so one must follow. */
const YQ_FIELD = /\.(?:[A-Za-z_][\w-]*|"[\w.-]+")\??(?=[ ;{}:[\],|.()=\n]|$)/y;

/** Splits a jq or yq filter; undefined when it can't be split with certainty. */
function splitJq(text: string, language: "jq" | "yq"): readonly JqToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: JqToken[] = [];
  /** For each open parenthesis: whether it is inside a string. */
  const opened: boolean[] = [];
  while (true) {
    cursor.take(SKIPPED);
    const comment = cursor.take(COMMENT);
    // Newer versions continue a comment after a backslash; yq knows comments only in part.
    if (comment?.endsWith("\\") || (comment !== undefined && language === "yq")) return undefined;
    if (comment !== undefined) continue;
    if (cursor.done) return opened.length === 0 ? tokens : undefined;
    const token = cursor.take(/"/y) === undefined ? takeToken(cursor, language) : takeString(cursor, language);
    if (token === undefined) return undefined;
    tokens.push(token);
    if (token.text === "(") opened.push(false);
    else if (token.text === ")") {
      const inString = opened.pop();
      const rest = inString ? takeString(cursor, language) : undefined;
      if (inString === undefined || (inString && rest === undefined)) return undefined;
      if (rest !== undefined) tokens.push(rest);
    }
    if (tokens.at(-1)?.text.endsWith("\\(")) opened.push(true);
  }
}

function takeToken(cursor: Cursor, language: "jq" | "yq"): JqToken | undefined {
  if (language === "yq" && cursor.here === ".") {
    const field = cursor.take(YQ_FIELD);
    if (field !== undefined) return { kind: "field", text: field };
    if (/^\.["A-Za-z_]/.test(cursor.text.slice(cursor.at, cursor.at + 2))) return undefined;
  }
  for (const [kind, pattern] of PATTERNS) {
    const text = cursor.take(pattern);
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** Reads to the end of a string, or to the `\(` where code begins. */
function takeString(cursor: Cursor, language: "jq" | "yq"): JqToken | undefined {
  const part = cursor.take(STRING_PART) ?? "";
  // Old versions of yq end the string at an escaped quote.
  if (language === "yq" && part.includes('\\"')) return undefined;
  const end = cursor.take(/"|\\\(/y);
  return end === undefined ? undefined : { kind: "string", text: part + end };
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

const JQ_KEYWORDS = names("def if then elif else end as reduce foreach try catch label break and or __loc__");

/** Builtins of jq 1.5 to 1.8, gojq and jaq that see only their inputs, the clock and the time zone. */
const JQ_PURE = names(`
  IN INDEX JOIN abs acos acosh add all any arrays ascii ascii_downcase ascii_upcase asin asinh atan atan2 atanh booleans
  bsearch builtins capture cbrt ceil combinations contains copysign cos cosh date dateadd datesub debug del delpaths drem
  empty endswith erf erfc error exp exp10 exp2 explode expm1 fabs false fdim finites first flatten floor fma fmax fmin
  fmod format frexp from_entries fromdate fromdateiso8601 fromjson fromstream gamma getpath gmtime group_by gsub halt
  halt_error has have_decnum have_literal_numbers hypot implode in index indices infinite input input_filename
  input_line_number inputs inside isempty isfinite isinfinite isnan isnormal isvalid iterables j0 j1 jn join keys
  keys_unsorted last ldexp leaf_paths length lgamma lgamma_r limit localtime log log10 log1p log2 logb ltrim ltrimstr map
  map_values match max max_by min min_by mktime modf nan nearbyint nextafter nexttoward normals not now nth null nulls
  numbers objects path paths pick pow pow10 range recurse recurse_down remainder repeat reverse rindex rint round rtrim
  rtrimstr scalars scalb scalbln scan select setpath significand sin sinh skip sort sort_by split splits sqrt startswith
  stderr strflocaltime strftime strings strptime sub tan tanh test tgamma to_entries toarray toboolean todate
  todateiso8601 tojson tonumber tostream tostring transpose trim trimstr true trunc truncate_stream type unique unique_by
  until utf8bytelength values walk while with_entries y0 y1 yn`);

/** Operators that mikefarah's yq has in addition to jq's. */
const YQ_PURE = names(`
  alias all_c anchor any_c collect column comments di documentIndex document_index downcase fi fileIndex file_index filename
  filter footComment foot_comment format_datetime from_csv from_json from_props from_tsv from_unix from_xml from_yaml
  headComment head_comment ireduce is_key key kind line lineComment line_comment omit parent parents pivot ref shuffle
  sortKeys sort_keys splitDoc split_doc style tag to_csv to_json to_number to_props to_string to_tsv to_unix to_xml to_yaml
  tz upcase with with_dtf`);

type JqReach = "shows the environment" | "loads other code" | "reads other files" | "runs programs";

/** Names that reach beyond the inputs in any expression. */
const JQ_REACHES: ReadonlyMap<string, JqReach> = new Map([
  ["env", "shows the environment"],
  ["$ENV", "shows the environment"],
  ["strenv", "shows the environment"],
  ["envsubst", "shows the environment"],
  ["include", "loads other code"],
  ["import", "loads other code"],
  ["modulemeta", "loads other code"],
  ["eval", "loads other code"],
  ["load", "reads other files"],
  ["load_str", "reads other files"],
  ["load_xml", "reads other files"],
  ["load_props", "reads other files"],
  ["load_base64", "reads other files"],
  ["system", "runs programs"],
]);
