import assert from "node:assert/strict";
import { it } from "node:test";
import { findBcProblem, findDcProblem } from "./program-text.ts";

it("bc expressions", () => {
  const harmless = [
    "1+1",
    "scale=2; 10/3",
    "s(1)^2 + e(l(2))",
    'for (i=0; i<3; i++) { print i, "\\n" }'.replace("\\n", " "),
  ];
  for (const text of [...harmless, "define f(x) {\n return (x*2)\n}\nf(2) != 4", "obase=16;255", "# note", ""])
    assert.equal(findBcProblem(text), undefined, text);
  for (const text of ["!id", "1\n!id", "a = !b", "`id`", "@x", "\\", '"a'])
    assert.notEqual(findBcProblem(text), undefined, text);
});

it("dc expressions", () => {
  for (const text of ["2 3+p", "16i FF p", "5k 1 3/ p", "2 v p", "1 sa la p", ""])
    assert.equal(findDcProblem(text), undefined, text);
  for (const text of ["!id", "1 !id\n", "[!id]x", "33ax", "?", "l!", "1 2=a", "[1]p", "sx s", "1P"])
    assert.notEqual(findDcProblem(text), undefined, text);
});
