import assert from "node:assert/strict";
import { test } from "node:test";
import { matchName } from "./match-name.ts";

test("globs, by the name alone", () => {
  const cases: [pattern: string, name: string, fits: boolean][] = [
    ["**", ".hidden", true],
    ["*.txt", "a.txt", true],
    ["*.txt", "a.txt.gz", false],
    ["?.md", "é.md", true],
    ["?.md", ".md", false],
    ["[ab]*", "beta", true],
    ["[^ab]*", "beta", false],
    ["[0-9][!x]", "7y", true],
    ["*.{ts,js}", "a.js", true],
    ["{a,b{c,d}}", "bd", true],
    ["{a,b}", "c", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["[", "[", true],
    ["", "", true],
    ["*a*b*c", "xxaxxbxxc", true],
  ];
  for (const [pattern, name, fits] of cases) assert.equal(matchName(pattern, name), fits, `${pattern} ${name}`);
});

test("a pattern can't make it take for ever", () => {
  assert.equal(matchName(`${"*a".repeat(120)}b`, "a".repeat(255)), false);
  assert.equal(matchName("{a,b}".repeat(40), "a".repeat(40)), false);
});
