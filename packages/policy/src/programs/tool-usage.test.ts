import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Tool } from "../catalog/tools/tool.ts";
import { literalWord, unknownWord } from "../model/word.ts";
import { compileCommands, findSubcommand } from "./tool-usage.ts";

const span = { pos: 0, end: 0 };
const tool: Tool = {
  names: ["cloud"],
  options: "-q --region:",
  operands: "none",
  groups: "compute instances sql",
  uses: [
    { commands: ["status", "remote show"], options: "", operands: "text" },
    { commands: ["* describe-*", "* get-*"], options: "", operands: "text", except: "secret" },
    { commands: ["** list"], options: "", operands: "text" },
    { commands: ["compose ps"], options: "", operands: "text", between: "-f@" },
    { commands: ["s3 get-acl"], options: "--own", operands: "text" },
  ],
  examples: { safe: [], notSafe: [] },
};
const tree = compileCommands(tool);

function find(command: string) {
  const words = command === "" ? [] : command.split(" ").map((word) => literalWord(word, span));
  const found = findSubcommand(words, tree);
  return found === undefined ? undefined : { path: found.path, rest: found.rest.map((word) => word.text) };
}

describe("findSubcommand", () => {
  const cases: readonly [command: string, path: string | undefined, rest: string][] = [
    ["", "", ""],
    ["-q", "", ""],
    ["status a", "status", "a"],
    ["remote show a", "remote show", "a"],
    ["remote add a", undefined, ""],
    ["--region x status", "status", ""],
    ["--frob x status", undefined, ""],
    ["status --frob", "status", "--frob"],
    ["ec2 describe-instances a", "ec2 describe-instances", "a"],
    ["ec2 --region x describe-instances", "ec2 describe-instances", ""],
    ["ec2 describe", undefined, ""],
    ["ec2 delete-x describe-y", undefined, ""],
    ["sm get-secret-value", undefined, ""],
    ["s3 get-acl", "s3 get-acl", ""],
    ["s3 get-tags", "s3 get-tags", ""],
    ["compute instances list a", "compute instances list", "a"],
    ["sql list", "sql list", ""],
    ["list", undefined, ""],
    // What isn't a group may be a subcommand, and then the next word is its operand.
    ["compute delete list", undefined, ""],
    ["compose -f x ps", "compose ps", ""],
    ["-f x compose ps", undefined, ""],
  ];
  for (const [command, path, rest] of cases) {
    it(`cloud ${command}`, () => {
      assert.deepEqual(find(command), path === undefined ? undefined : { path, rest: rest.split(" ").filter(Boolean) });
    });
  }

  it("knows no subcommand behind a word that isn't literal", () => {
    assert.equal(findSubcommand([unknownWord(span), literalWord("status", span)], tree), undefined);
    const words = [literalWord("ec2", span), unknownWord(span)];
    assert.equal(findSubcommand(words, tree), undefined);
  });

  it("puts what names a word before what only fits it", () => {
    const words = ["s3", "get-acl"].map((word) => literalWord(word, span));
    assert.deepEqual(
      findSubcommand(words, tree)?.uses.map((use) => use.usage.options),
      ["--own", ""],
    );
  });
});
