import { Cursor } from "./cursor.ts";

const QUERIES = ["select", "with", "values", "table"];
const UNCLEAR = "that can't be read with certainty";

/** Returns why SQL does more than read. `dialect` is the client's. */
function findSqlProblem(text: string, dialect: SqlDialect): string | undefined {
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

/** Returns the problem of an explained statement, which may run, so it must be a query. */
function findExplainProblem(tokens: readonly SqlToken[]): string | undefined {
  const first = tokens.find(({ text, kind }) => kind !== "mark" || text !== "(");
  return QUERIES.includes(first?.text ?? "") ? findQueryProblem(tokens) : "that may change data";
}

/** Skips `EXPLAIN ANALYZE VERBOSE`, `EXPLAIN (ANALYZE, BUFFERS)`, `EXPLAIN QUERY PLAN`, `EXPLAIN FORMAT=JSON`. */
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
    if (isCall(tokens, at) && !isPure(tokens, at)) return `that calls ${text}, which isn't in the catalogue`;
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

/**
 * Commands that describe, list or set the output, and patterns without quotes, backticks, variables or another
 * backslash.
 */
const PSQL_COMMAND =
  /^\\(?:d[A-Za-z+]*|l\+?|z|sf\+?|sv\+?|conninfo|timing|x|encoding|copyright|h|\?)(?:[ \t]+[\w.*?+-]+)*[ \t]*$/;

const DOT_COMMANDS =
  "changes databases dbinfo dump echo eqp explain fullschema header headers help indexes indices lint mode nullvalue print schema separator sha3sum show stats tables timer version width".split(
    " ",
  );
const DOT_ARGUMENTS = /^(?:[ \t]+(?:[\w.,:;%*+=|-]+|"[\w.,:;%*+=| -]*"|'[\w.,:;%*+=| -]*'))*[ \t]*$/;

/** Returns the problem of a word of `psql -c`: SQL, or one command of psql. */
export function findPsqlProblem(text: string): string | undefined {
  if (!text.trimStart().startsWith("\\")) return findSqlProblem(text, "psql");
  return PSQL_COMMAND.test(text.trimStart()) ? undefined : "Gives psql a command that isn't in the catalogue";
}

/** Returns the problem of a word of `sqlite3 db word…`: SQL, or one command of its shell. Abbreviations aren't read. */
export function findSqliteProblem(text: string): string | undefined {
  if (!text.startsWith(".")) return findSqlProblem(text, "sqlite");
  const name = /^\.(\w+)/.exec(text)?.[1] ?? "";
  const known = DOT_COMMANDS.includes(name) && DOT_ARGUMENTS.test(text.slice(name.length + 1));
  return known ? undefined : "Gives sqlite3 a command that isn't in the catalogue";
}

/** Returns the problem of a word of `mysql -e`. `\G` at its end chooses another output format. */
export function findMysqlProblem(text: string): string | undefined {
  return findSqlProblem(text.replace(/\\[gG]\s*;?\s*$/, ""), "mysql");
}

type SqlDialect = "psql" | "sqlite" | "mysql";

interface SqlToken {
  /** Words are in lower case; quoted names have no quotes. */
  readonly kind: "word" | "quoted" | "string" | "number" | "mark";
  readonly text: string;
}

/**
 * Databases and settings differ on strings with backslashes, on comments and on brackets. These patterns match only
 * what all of them read alike.
 */
const SKIPPED = [
  /[ \t\n]+/y,
  // MySQL requires a blank after the dashes.
  /--(?:[ \t][^\n]*|(?=\n|$))/y,
  // PostgreSQL nests them; MySQL runs the content of `/*!` and obeys `/*+`.
  /\/\*(?![!+/*]|M!)(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\//y,
];
const PATTERNS: readonly (readonly [SqlToken["kind"], RegExp])[] = [
  ["word", /[A-Za-z_]\w*(?!\$)/y],
  ["number", /(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w$])/y],
  ["string", /'(?:[^'\\]|''|\\+(?![\\']))*'(?!')/y],
  ["quoted", /"(?:[^"\\]|""|\\+(?![\\"]))*"(?!")/y],
  // A name in SQLite, an array or a subscript in PostgreSQL.
  ["quoted", /\[(?:[\w\s,.:]|'[\w\s.%-]*')*\]/y],
  ["mark", /::|-(?!-)|\/(?!\*)|[+*%=<>!|&^~.,();?@]/y],
];
const BACKTICKED = /`[^`\\]*`/y;

/** Splits SQL; undefined when it can't be split with certainty. */
function splitSql(text: string, dialect: SqlDialect): readonly SqlToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: SqlToken[] = [];
  while (true) {
    while (SKIPPED.some((pattern) => cursor.take(pattern)));
    if (cursor.done) return tokens;
    const token = takeToken(cursor, dialect);
    if (token === undefined) return undefined;
    tokens.push(token);
  }
}

function takeToken(cursor: Cursor, dialect: SqlDialect): SqlToken | undefined {
  for (const [kind, pattern] of PATTERNS) {
    const text = cursor.take(pattern);
    if (text !== undefined) return { kind, text: kind === "quoted" ? text.slice(1, -1) : lower(kind, text) };
  }
  // In PostgreSQL a backtick is part of an operator; in MySQL `#` begins a comment.
  const name = dialect === "psql" ? undefined : cursor.take(BACKTICKED);
  if (name !== undefined) return { kind: "quoted", text: name.slice(1, -1) };
  return dialect === "psql" && cursor.take(/#/y) !== undefined ? { kind: "mark", text: "#" } : undefined;
}

function lower(kind: SqlToken["kind"], text: string): string {
  return kind === "word" ? text.toLowerCase() : text;
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Words of the grammar and of types: a parenthesis after one isn't a call. */
const BEFORE_PARENTHESIS = names(`
  all and any array as between by case char character distinct decimal else except exists filter from having in index int
  intersect is join lateral like limit materialized not numeric offset on or over recursive rollup row rows select sets some
  table then union unsigned using values varchar when where with within group escape cube ilike similar to
  timestamp time interval bit varying partition order against match minus end`);

/** Functions that only read their arguments, the row, the catalogue, the session or the clock. */
const PURE_FUNCTIONS = names(`
  abs acos age array_agg array_append array_cat array_length array_position array_remove array_replace array_to_json
  array_to_string array_upper array_lower ascii asin atan atan2 avg bit_and bit_count bit_length bit_or bit_xor bool_and
  bool_or btrim cardinality cast cbrt ceil ceiling changes char_length character_length chr coalesce col_description concat
  concat_ws connection_id convert corr cos count cume_dist curdate current_database current_schema current_schemas
  current_setting current_user currval curtime database date date_add date_bin date_format date_part date_sub date_trunc
  datediff datetime day dayname dayofmonth dayofweek dayofyear decode degrees dense_rank div elt encode every exp extract
  field find_in_set first_value floor format format_type found_rows from_days from_unixtime generate_series glob greatest
  group_concat grouping has_column_privilege has_database_privilege has_schema_privilege has_table_privilege hex hour if
  ifnull iif inet_aton inet_ntoa initcap instr isnull json json_agg json_array json_array_elements
  json_array_elements_text json_array_length json_build_array json_build_object json_contains json_each json_each_text
  json_extract json_extract_path json_extract_path_text json_group_array json_group_object json_keys json_length
  json_object json_object_agg json_object_keys json_overlaps json_populate_record json_pretty json_quote json_search
  json_tree json_type json_typeof json_unquote json_valid json_value jsonb jsonb_agg jsonb_array_elements
  jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
  jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_query
  jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_typeof julianday justify_days justify_hours justify_interval lag last_day
  last_insert_rowid last_value lastval lcase lead least left length ln localtime localtimestamp locate log log10 log2 lower
  lpad ltrim make_date make_interval make_timestamp max md5 mid min minute mod mode month monthname now nth_value ntile
  nullif num_nonnulls num_nulls obj_description octet_length overlay percent_rank percentile_cont percentile_disc
  pg_backend_pid pg_column_size pg_current_wal_lsn pg_database_size pg_encoding_to_char pg_get_constraintdef pg_get_expr
  pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result pg_get_functiondef pg_get_indexdef
  pg_get_ruledef pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_indexes_size
  pg_is_in_recovery pg_postmaster_start_time pg_relation_size pg_size_bytes pg_size_pretty
  pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_typeof pg_wal_lsn_diff plainto_tsquery
  position pow power printf quarter quote quote_ident quote_literal radians random rank regexp_count regexp_instr
  regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
  repeat replace reverse right round row_count row_number row_to_json rpad rtrim schema second session_user sha1 sha2
  sha256 shobj_description sign similarity sin split_part sqlite_version sqrt std stddev stddev_pop stddev_samp
  str_to_date strftime string_agg string_to_array strpos substr substring substring_index subdate adddate sum tan time
  time_format time_to_sec timediff timestampadd timestampdiff to_ascii to_char to_date to_days to_hex to_json to_jsonb
  to_number to_regclass to_regproc to_regtype to_timestamp to_tsquery to_tsvector total total_changes translate trim
  trunc truncate ts_headline ts_rank typeof ucase unhex unicode unix_timestamp unixepoch unnest upper user utc_timestamp
  uuid var_pop var_samp variance version websearch_to_tsquery week weekday weekofyear width_bucket year yearweek`);

/** Pragmas that only read, even with an argument in parentheses. */
const PRAGMAS_OF = names(`foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check
  quick_check table_info table_list table_xinfo`);
/** Pragmas that only read unless they get a value. */
const BARE_PRAGMAS = names(`application_id auto_vacuum busy_timeout cache_size collation_list compile_options
  data_version database_list encoding foreign_keys freelist_count function_list journal_mode journal_size_limit
  locking_mode max_page_count module_list page_count page_size pragma_list recursive_triggers schema_version synchronous
  temp_store user_version wal_autocheckpoint`);

/** Words with which a query changes data, takes locks or writes a file. */
const CHANGING = names(`delete dumpfile insert into lock merge nextval outfile procedure returning update`);
/** Tables that read files or contain password hashes. */
const GUARDED = names(`authentication_string fsdir global_priv mysql pg_authid pg_shadow pg_user_mapping
  pg_user_mappings zipfile`);
