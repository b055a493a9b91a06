import assert from "node:assert/strict";
import { it } from "node:test";
import { compilePattern, escapePatternWord, matchesAllowed, matchesNamed } from "./pattern.ts";

function part(...words: (string | null)[]) {
  return { span: { pos: 0, end: 0 }, words, program: `/usr/bin/${words[0]}`, builtin: false, effects: [] };
}

const rows: readonly [string, (string | null)[], boolean][] = [
  ["git **", ["git"], true],
  ["git **", ["git", "status", "-s"], true],
  ["git", ["git", "status"], false],
  ["git *", ["git", "status"], true],
  ["git *", ["git"], false],
  ["git *", ["git", "a", "b"], false],
  ["git sta*", ["git", "status"], true],
  ["git *us", ["git", "status"], true],
  ["git s*t*s", ["git", "status"], true],
  ["git s*x*s", ["git", "status"], false],
  ["Git **", ["git", "status"], false],
  ["npm run * -- **", ["npm", "run", "x", "--", "a"], true],
  ["npm ** --dry-run", ["npm", "a", "b", "--dry-run"], true],
  ["npm ** --dry-run", ["npm", "a", "b"], false],
  ["npm ** x ** y", ["npm", "1", "x", "2", "y"], true],
  ["npm ** x ** y", ["npm", "1", "y", "2", "x"], false],
  ["echo \\*", ["echo", "*"], true],
  ["echo \\*", ["echo", "a"], false],
  ["echo a\\ b", ["echo", "a b"], true],
  ["git *", ["git", null], true],
  ["git a*", ["git", null], false],
  ["* --version", ["node", "--version"], true],
  ["/usr/bin/git **", ["git", "x"], true],
  ["git", ["git "], false],
];

for (const [pattern, words, fits] of rows) {
  it(`${pattern} ${fits ? "fits" : "doesn't fit"} ${words.join(" ")}`, () => {
    assert.equal(matchesAllowed(compilePattern(pattern), part(...words)), fits);
  });
}

it("an allow entry needs a known program, a name doesn't", () => {
  const { program: _, ...unknown } = part("./git", "x");
  assert.equal(matchesAllowed(compilePattern("git **"), unknown), false);
  assert.equal(matchesNamed(compilePattern("git **"), unknown), true);
  assert.equal(matchesNamed(compilePattern("git **"), { ...unknown, words: [null, "x"] }), false);
});

it("escaped words fit themselves", () => {
  for (const word of ["a*b", "**", "a b", "\\", "a\\*"]) {
    assert.ok(matchesAllowed(compilePattern(`x ${escapePatternWord(word)}`), part("x", word)), word);
  }
});

it("matching is linear", () => {
  const pattern = compilePattern(`x ${"a*".repeat(1_000)}b`);
  // Of the processor: on a busy machine more time goes by.
  const start = process.threadCpuUsage();
  assert.equal(matchesAllowed(pattern, part("x", "a".repeat(60_000))), false);
  assert.ok(process.threadCpuUsage(start).user < 200_000);
});
