import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as vocabulary from "@countersign/vocabulary";
import { parseSync, Visitor } from "oxc-parser";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Shorter lists are too common to mean the same thing. */
const FEWEST = 3;

const keyOf = (words: readonly string[]) => [...words].sort().join("|");

/** Names of the closed lists, by their words in any order. */
const LISTS = new Map(
  Object.entries(vocabulary).flatMap(([name, list]) =>
    Array.isArray(list) && list.every((word) => typeof word === "string") ? [[keyOf(list), name] as const] : [],
  ),
);

/** Unions of strings and arrays of strings, spelled out in `source`. */
function spelledOut(file: string, source: string): { readonly words: readonly string[]; readonly at: number }[] {
  const { program, errors } = parseSync(file, source);
  assert.deepEqual(errors, [], file);
  const found: { words: readonly string[]; at: number }[] = [];
  const note = (values: readonly unknown[], at: number) => {
    const words = [...new Set(values)].filter((value) => typeof value === "string");
    if (words.length === values.length) found.push({ words, at });
  };
  new Visitor({
    TSUnionType: ({ types, start }) =>
      note(
        types.map((type) =>
          type.type === "TSLiteralType" && "value" in type.literal ? type.literal.value : undefined,
        ),
        start,
      ),
    ArrayExpression: ({ elements, start }) =>
      note(
        elements.map((element) => (element?.type === "Literal" ? element.value : undefined)),
        start,
      ),
    TSEnumDeclaration: ({ body, start }) =>
      note(
        body.members.map(({ initializer }) => (initializer?.type === "Literal" ? initializer.value : undefined)),
        start,
      ),
  }).visit(program);
  return found;
}

function secondsIn(file: string, source: string): string[] {
  return spelledOut(file, source).flatMap(({ words, at }) => {
    const name = words.length < FEWEST ? undefined : LISTS.get(keyOf(words));
    return name === undefined ? [] : [`${file}:${source.slice(0, at).split("\n").length} is ${name} of vocabulary`];
  });
}

test("no source spells a list of vocabulary a second time", () => {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !file.startsWith("packages/vocabulary/") && !/\.(test|deep)\.tsx?$/.test(file),
  );
  assert.ok(files.length > 1_000, `only ${files.length} files`);
  const seconds = files.flatMap((file) => secondsIn(file, readFileSync(join(root, file), "utf8")));
  assert.deepEqual(seconds, []);
});

test("finds a list as a union, an array and an enum, in any order", () => {
  const spellings = [
    'type Verdict = "deny" | "allow" | "ask";',
    'const schema = z.enum(["ask", "allow", "deny"]);',
    'enum Verdict { Allow = "allow", Ask = "ask", Deny = "deny" }',
  ];
  for (const source of spellings) assert.deepEqual(secondsIn("a.ts", source), ["a.ts:1 is VERDICTS of vocabulary"]);
  assert.deepEqual(secondsIn("a.ts", 'const some = ["allow", "ask"], more = ["allow", "ask", "deny", "other"];'), []);
});

test("lists of vocabulary differ from each other", () => {
  const lists = Object.values(vocabulary).filter((list) => Array.isArray(list) && typeof list[0] === "string");
  assert.equal(LISTS.size, lists.length);
});
