import assert from "node:assert/strict";
import { it } from "node:test";
import { literalWord } from "../model/word.ts";
import { compileOptions, parseOptions, type Splitting } from "./options.ts";

function parse(options: string, command: string, how: Splitting = {}) {
  const words = command.split(" ").map((word) => literalWord(word, { pos: 0, end: 0 }));
  const { operands, values, unknown, ...rest } = parseOptions(words, compileOptions(options), how);
  return { options: rest.options, operands: operands.map((word) => word.text), ...(unknown ? { unknown } : {}) };
}

it("takes an = before the value of a short option away only where the tool does", () => {
  const choice = "-o=json|wide -A";
  assert.deepEqual(parse(choice, "-o=json x", { clusters: "equals" }), { options: ["-o"], operands: ["x"] });
  assert.deepEqual(parse(choice, "-Ao=json", { clusters: "equals" }), { options: ["-A", "-o"], operands: [] });
  assert.equal(parse(choice, "-o=yaml", { clusters: "equals" }).unknown, "-o yaml");
  // `-o=` alone gives the value `=`, not the next word.
  assert.equal(parse(choice, "-o= json", { clusters: "equals" }).unknown, "-o =");
  assert.equal(parse(choice, "-A=true", { clusters: "equals" }).unknown, "-=");
  assert.equal(parse(choice, "-o=json").unknown, "-o =json");
});

it("lets --* stand for long options only, and not for those that are named", () => {
  const any = "--* --output=json";
  assert.deepEqual(parse(any, "--filters a b --flag --x=y"), {
    options: ["--filters", "--flag", "--x"],
    operands: ["a", "b"],
  });
  assert.equal(parse(any, "--output text").unknown, "text");
  assert.equal(parse(any, "-x").unknown, "-x");
});
