import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findAwkProblem } from "./awk.ts";
import { findJqProblem } from "./jq.ts";
import { findSedProblem } from "./sed.ts";
import { findSqliteProblem } from "./sql.ts";

interface Subject {
  readonly find: (text: string) => string | undefined;
  /** Each tool that runs the text, the text itself being the last word. */
  readonly tools: readonly (readonly string[])[];
  /** What could touch a file touches `z`, or one whose name begins so. */
  readonly seeds: readonly string[];
  /** Put into the seeds at random, split at `¦`, besides every single character of them. */
  readonly pieces: string;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  sed: {
    find: findSedProblem,
    tools: [
      ["sed", "-e"],
      ["sed", "--posix", "-e"],
      ["sed", "-E", "-e"],
      ["busybox", "sed", "-e"],
    ],
    seeds: [
      "s/[^/]/x/;w z",
      "s/a[]/]/b/gw z",
      "/a/{s|b|[|;p}\nw z",
      "a\\\nw z\nw z",
      ":a;N;$!ba;a x\\\nw z",
      "1,/[[:alpha:]/]/y/a/b/;e touch z",
      "s,a,touch z,e",
      "i\\\n  x\\\\\nw z",
      "#n\\\nw z",
      "$!{s/a\\/b/touch z/;p;}e touch z",
    ],
    pieces: "\\¦\n¦\\\n¦w z¦e touch z¦[^¦[[:alpha:]¦[:¦/e¦/w z¦a\\\n¦ba;¦:a¦r ¦\\/¦\\]¦1,¦ ¦I¦M",
  },
  awk: {
    find: findAwkProblem,
    tools: [["gawk"], ["mawk"], ["original-awk"], ["busybox", "awk"]],
    seeds: [
      'BEGIN { print 1 > "z" }',
      'BEGIN { x = 4; print x / 2 / 1; system("touch z") }',
      '/a[/]b/ { print "a" } END { print (1 > 2) > "z" }',
      '/"/ { print } BEGIN { "touch z" | getline }',
      'BEGIN { if (1) print "a" ; else print 2 > "z" }',
      'BEGIN { print 1 ? "a" : "b" > "z" }',
      'BEGIN { print "a", # x\n "b" > "z" }',
      '{ getline x < "z"; print length / 2 > "z" }',
      'function f(x) { print x > "z" } BEGIN { f(1) }',
      'BEGIN { printf("%s", 1 > 2) > "z" }',
    ],
    pieces: '"¦\\¦\n¦\\\n¦/¦(¦)¦>¦ > "z"¦system("touch z")¦{¦}¦;¦,\n¦?\n¦:¦#¦ length ¦++¦getline¦[¦]¦1¦print ¦ x¦~ /',
  },
  jq: {
    find: findJqProblem,
    tools: [
      ["jq", "-n"],
      ["gojq", "-n"],
      ["jaq", "-n"],
    ],
    seeds: [
      "{a: 1, env}",
      '"a\\(1, "b\\(env)")c"',
      "def f(g): g; {a: f(1), (env | keys[0]): 1}",
      "{a: if true then 1, env else 2 end, b: [1]}",
      ". as {env: $x} | {env: 1} | .env, $ENV",
      "reduce (1, 2) as $x (0; . + $x) # env\n| [., 1]",
      'try error("x") catch {$__loc__, env: 1} | .env',
      '[limit(3; 1, 2)] | @json "x\\(.)", .env?',
      "{a: 1 as $x | 2, b: .env}",
    ],
    pieces:
      '"¦\\¦\\(¦)¦{¦}¦[¦]¦,¦:¦|¦;¦#¦\n¦\\\n¦.¦..¦?¦//¦ env ¦env¦$ENV¦ $¦if ¦ end¦ then ¦def x: ¦ as $x |¦ as ¦label $x |¦@sh ¦1',
  },
  sqlite: {
    find: findSqliteProblem,
    tools: [["sqlite3", ":memory:"]],
    seeds: [
      "SELECT 'a''b', \"c\" /* x */ FROM (SELECT 1 AS c); ATTACH 'z' AS z; CREATE TABLE z.t(a)",
      "SELECT writefile('z', 'x') -- y",
      "WITH t(a) AS (SELECT 1) SELECT [a], `a` FROM t; SELECT writefile('z', 1)",
      "PRAGMA table_info(t); VACUUM INTO 'z'",
      ".print a",
      ".output z\nSELECT 1",
      "EXPLAIN QUERY PLAN SELECT 1; SELECT \"writefile\"('z', 1)",
      "SELECT 1 WHERE 'a' LIKE 'b' ESCAPE '\\'; SELECT writefile('z','z')",
    ],
    pieces:
      "'¦''¦\"¦`¦[¦]¦--¦-- ¦/*¦*/¦;¦\n¦(¦)¦ SELECT ¦ INTO ¦writefile('z',1)¦.shell touch z¦.once z¦.¦\\¦#¦lower(¦ FROM ¦,¦1¦ ",
  },
};

/** In the environment, and never in the output. */
const MARK = "seen-in-the-environment";

const edit = (pieces: readonly string[]) =>
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), drop: fc.nat(3), put: fc.constantFrom("", ...pieces) });

/** What the readers call harmless is run by the real tools in an empty directory, which must stay so. */
describe("texts called harmless touch nothing and show nothing", () => {
  for (const [language, { find, tools, seeds, pieces }] of Object.entries(SUBJECTS)) {
    const installed = tools.filter(([name = ""]) => spawnSync(name, ["--help"]).error === undefined);
    it(language, { skip: installed.length === 0 && "no such tool here" }, (test) => {
      const directory = mkdtempSync(join(tmpdir(), "countersign-language-"));
      test.after(() => rmSync(directory, { recursive: true }));
      const parts = [...new Set([...pieces.split("¦"), ...seeds.join("")])];
      const edits = fc.array(edit(parts), { minLength: 1, maxLength: 5 });
      let ran = 0;
      const property = fc.property(fc.constantFrom(...seeds), edits, (seed, changes) => {
        const text = changes.reduce(apply, seed);
        if (find(text) !== undefined) return;
        for (const [name = "", ...words] of installed) {
          ran += 1;
          const env = { PATH: process.env.PATH, CS_MARK: MARK };
          const { stdout, stderr } = spawnSync(name, [...words, text], {
            cwd: directory,
            env,
            input: "a/b\nbc\n",
            timeout: 2000,
          });
          assert.ok(!`${stdout}${stderr}`.includes(MARK), `${name} ${JSON.stringify(text)}`);
          const touched = readdirSync(directory);
          for (const file of touched) rmSync(join(directory, file));
          assert.deepEqual(touched, [], `${[name, ...words].join(" ")} ${JSON.stringify(text)}`);
        }
      });
      fc.assert(property, { numRuns: 20_000 });
      test.diagnostic(`${ran} runs`);
      assert.ok(ran > 100);
    });
  }
});

function apply(text: string, { at, drop, put }: { at: number; drop: number; put: string }): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + put + text.slice(start + drop);
}
