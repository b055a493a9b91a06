import assert from "node:assert/strict";
import { test } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { classify } from "../classify/classify.ts";
import { nameShapes } from "./shape.ts";

const shapesOf = (command: string) => nameShapes(classify(command, fixtureContext()).parts);

test("a command is named by what its parts are called, without what they are about", () => {
  assert.deepEqual(shapesOf("npm test -- --update && git add -A"), ["npm test", "git add"]);
  assert.deepEqual(shapesOf("cd src && git push origin HEAD"), ["git push"]);
  assert.deepEqual(shapesOf("rm a.txt b.txt; rm -rf c"), ["rm"]);
});

test("what is safe is named only where there's nothing else", () => {
  assert.deepEqual(shapesOf("ls -la"), ["ls"]);
  assert.deepEqual(shapesOf("ls && rm x"), ["rm"]);
});

test("a long name is none, and there are a few at the most", () => {
  assert.deepEqual(shapesOf(`${"a".repeat(130)} x`), []);
  const many = Array.from({ length: 20 }, (_, index) => `tool${index} go`).join("; ");
  assert.equal(shapesOf(many).length, 8);
});
