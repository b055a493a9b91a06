import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findJqProblem, findYqProblem } from "./jq.ts";

const JQ_HARMLESS = [
  ".",
  ".a",
  ".scripts",
  ".dependencies | keys[]",
  '.scripts["rm -rf"]',
  ".env",
  ".a.env[]",
  '."env"',
  '.["env"]',
  '"env"',
  "{env}",
  "{env: 1}",
  "{a: 1, env: .env}",
  "{a: (if .x then 1 else 2 end), env}",
  "{a: if .x then 1 else 2 end, name}",
  "{if: 1, end: 2, def: 3}",
  '{"a": .b, (.c): 1, $x, "k\\(.d)": 2, name}',
  ". as {env: $x} | $x",
  '.[] | select(.name == "x") | .version',
  '.[] | "\\(.name)\\t\\(.size // 0)"',
  '"a\\("b\\("c")")"',
  "map(select(.age > 30)) | length",
  "to_entries[] | [.key, .value] | @tsv",
  "group_by(.k) | map({k: .[0].k, n: length})",
  "reduce .[] as $x (0; . + $x)",
  "[foreach range(5) as $i (0; . + $i; [$i, .])]",
  "def f(x; $y): x + $y; f(1; 2)",
  "def env_of: .env; env_of",
  'try error("x") catch .',
  "label $out | foreach .[] as $i (0; .; if $i > 3 then ., break $out else empty end)",
  '.a?.b? // "none"',
  ".[1:3], .[-1]",
  ".. | numbers",
  "input, inputs | debug",
  '@base64 "x\\(.a)"',
  '.version = "2" | del(.a) | .b |= . + 1',
  ".a # env\n| .b",
  "$__loc__ | .line",
  "now | todate",
  "1e3, .5, 2.",
  "input_filename, input_line_number",
  'test("^v[0-9]"; "i")',
  ". as [$a, {b: $c}] ?// $a | $a",
  'walk(if type == "object" then with_entries(select(.value != null)) else . end)',
  'if .a then "x" elif .b then "y" else "z" end',
  "limit(3; .[])",
  "$name",
  "",
];

const JQ_SHOWS = [
  "env",
  "env.HOME",
  "$ENV",
  "$ENV.PATH",
  "[env]",
  ".a | env",
  '"\\(env)"',
  '"a\\("b\\(env)")"',
  '@sh "\\(env.X)"',
  "{a: env}",
  "{(env.X): 1}",
  ".[env:2]",
  ". env",
  "..env",
  "{a: if true then 1, env else 2 end}",
  "{a: 1 as $x | 2, env}",
  "{a: [1, env]}",
  "{a: 1} | env, 1",
  "def env: 1; env",
  "def f: 1, env; f",
  "1env",
  "# x\nenv",
];
const JQ_LOADS = ['include "x"; .', 'import "a" as b; .', '"m" | modulemeta', "eval(.x)"];
const JQ_UNCLEAR = [
  "frob",
  "get_search_list",
  "a::b",
  "$a::b",
  "$ ENV",
  "$__prog_args",
  '"a',
  '"\\(1',
  "(1",
  "1)",
  "'a'",
  "`id`",
  "# x\\\nenv",
  "a & b",
  "{a: 1, b c}",
  "é",
];

const YQ_HARMLESS = [
  ".services | keys",
  ".a.b-c",
  '.jobs.build."runs-on"',
  '.["a b"]',
  '.a[] | select(.b == "x*")',
  '.a = "b" | .c style="double"',
  '.. | select(tag == "!!str")',
  ".[] as $item ireduce ({}; . * $item)",
  "with(.a; .b = 1)",
  'to_entries | .[] | .key + "=" + .value',
  "select(fi == 0) * select(fi == 1)",
  ".a | length",
  "explode(.)",
  '{"a": .b}',
  ".[0], .[-1]",
];
const YQ_NOT = [
  "env(HOME)",
  ".a = strenv(X)",
  ".a | envsubst",
  'load("f")',
  '. * load_str("f")',
  "eval(.x)",
  '"\\(env(X))"',
  'system("id")',
  ".a-env",
  "{load: 1}",
  "{a: 1, envsubst}",
  '."x load" | "f"',
  '.a"b load"+"f"',
  '"a\\" | env(X) | \\"b"',
  "keysload",
  ".a # x",
  "def f: 1; f",
  ".a$b",
];

describe("jq filters", () => {
  it("that only turn input into output", () => {
    for (const text of JQ_HARMLESS) assert.equal(findJqProblem(text), undefined, text);
  });

  const rows = {
    "shows the environment": JQ_SHOWS,
    "loads other code": JQ_LOADS,
    "can't be read with certainty": JQ_UNCLEAR,
  };
  for (const [says, texts] of Object.entries(rows)) {
    it(`that ${says}`, () => {
      for (const text of texts) assert.equal(findJqProblem(text), `Gives jq a filter that ${says}`, text);
    });
  }

  it("are read to their end however they repeat", () => {
    for (const piece of [
      '"',
      '"\\(',
      "{a:",
      "(",
      "1.",
      "1",
      ".a",
      "..",
      "def a(",
      "\\",
      "if ",
      "a,",
      "as ",
      "{as ",
      "#",
    ])
      assert.notEqual(findJqProblem(`${piece.repeat(60_000)}\nenv "`), undefined);
  });
});

describe("yq filters", () => {
  it("that only turn input into output", () => {
    for (const text of YQ_HARMLESS) assert.equal(findYqProblem(text), undefined, text);
  });

  it("that do more", () => {
    for (const text of YQ_NOT) assert.match(findYqProblem(text) ?? "", /^Gives yq a filter that /, text);
  });
});
