import assert from "node:assert/strict";
import { test } from "node:test";
import { visible, visibleJson, visibleLines } from "./visible.ts";

test("names what a terminal would obey or hide", () => {
  const table: [string, string][] = [
    ["\x1b[31mred", "<U+001B>[31mred"],
    ["a\u202eb", "a<U+202E>b"],
    ["a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"],
    ["a\rb\x07\x9b", "a<U+000D>b<U+0007><U+009B>"],
    ["a\nb\tc", "a<U+000A>b<U+0009>c"],
    ["a\u00a0b\u3000c", "a<U+00A0>b<U+3000>c"],
    ["\u3164\u2800\u034f\u{e0041}", "<U+3164><U+2800><U+034F><U+E0041>"],
    ["a\u2028b", "a<U+2028>b"],
    ["\ud800", "<U+D800>"],
  ];
  for (const [text, shown] of table) assert.equal(visible(text), shown);
});

test("leaves ordinary text of any script alone", () => {
  for (const text of ["ls -la | grep 'x y'", "größe", "日本語", "عربى", "🙂"]) assert.equal(visible(text), text);
});

test("lines keep their tabs and are apart", () => {
  assert.deepEqual(visibleLines("a\tb\n\x1bc"), ["a\tb", "<U+001B>c"]);
});

test("visibleJson escapes what deceives, and parses to the same value", () => {
  const rows: [string, string][] = [
    ["a\x9b31m\x7f", '"a\\u009b31m\\u007f"'],
    ["a\u202eb\u2066\u200b\ufeff", '"a\\u202eb\\u2066\\u200b\\ufeff"'],
    ["\x1b[2J\n\t", '"\\u001b[2J\\n\\t"'],
    ["\u{e0041}\u2028\u00a0", '"\\udb40\\udc41\\u2028\\u00a0"'],
    ["größe 日本語 🙂 \\u202e", '"größe 日本語 🙂 \\\\u202e"'],
  ];
  for (const [text, json] of rows) {
    assert.equal(visibleJson(text), json);
    assert.deepEqual(JSON.parse(visibleJson({ [text]: [text, 1, null] })), { [text]: [text, 1, null] });
  }
  assert.deepEqual(JSON.parse(visibleJson("\ud800")), "\ud800");
});
