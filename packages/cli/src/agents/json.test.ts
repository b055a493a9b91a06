import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { append, layoutOf, remove, splice, write } from "./edit.ts";
import { type JsonArray, type JsonObject, JsonTextError, parseJson, plainValue } from "./parse.ts";

const STRICT = { comments: false };

test("reads what the platform reads, and nothing else", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(plainValue(parseJson(text, STRICT)), JSON.parse(text));
    }),
  );
  for (const text of [
    "",
    "{",
    "[1,]",
    "{,}",
    "01",
    "'a'",
    '{"a":1}}',
    '"\n"',
    "tru",
    '{"a" 1}',
    "{a:1}",
    "1 2",
    '"\\x"',
  ])
    assert.throws(() => parseJson(text, STRICT), JsonTextError, text);
  assert.throws(() => parseJson("[".repeat(200), STRICT), /nested deeper/);
});

test("says the line; takes comments only where they are allowed; refuses a key that stands twice", () => {
  assert.throws(() => parseJson('{\n  "a": 1,\n  "b" 2\n}', STRICT), { line: 3 });
  const commented = '\uFEFF// one\n{ "a": /* two */ 1 } // three';
  assert.deepEqual(plainValue(parseJson(commented, { comments: true })), { a: 1 });
  assert.throws(() => parseJson(commented, STRICT), /line 1: a comment/);
  assert.throws(() => parseJson("{} /* never", { comments: true }), /isn't closed/);
  assert.throws(() => parseJson('{"hooks":{},"hooks":{}}', STRICT), /"hooks" stands twice/);
});

test("what is added and removed again leaves every byte as it was", () => {
  const texts = [
    '{"a":[1,2]}',
    '{\n  "a": [\n    1\n  ]\n}\n',
    '{\n\t"a": [\n\t\t1 // one\n\t]\n}',
    '{\r\n    "a": [\r\n        1\r\n    ]\r\n}\r\n',
  ];
  for (const text of texts) {
    const list = (from: string) => (parseJson(from, { comments: true }) as JsonObject).members[0]?.value as JsonArray;
    const layout = layoutOf(text);
    const added = splice(text, append(list(text), write({ b: [2] }, layout, 2), layout, 2));
    const { items } = list(added);
    assert.deepEqual(plainValue(items.at(-1) as JsonArray), { b: [2] });
    assert.equal(splice(added, remove(added, list(added), items.length - 1)), text);
  }
});

test("removing keeps the other items and the comments, wherever the item stands", () => {
  const text = "[ /* a */ 1, // b\n 2, /* c */ 3 /* d */ ]";
  const without = (index: number) => {
    const list = parseJson(text, { comments: true }) as JsonArray;
    return splice(text, remove(text, list, index));
  };
  const all = [0, 1, 2].map(without);
  assert.deepEqual(
    all.map((left) => plainValue(parseJson(left, { comments: true }))),
    [
      [2, 3],
      [1, 3],
      [1, 2],
    ],
  );
  for (const left of all) assert.deepEqual(left.match(/[a-d]/g), ["a", "b", "c", "d"], left);
});
