import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AnsiReader, readAnsi } from "./ansi.ts";
import { AnsiLine, MAX_COLUMNS, type Span } from "./ansi-line.ts";

const ESC = "\x1b";
const textOf = (text: string) => readAnsi(text).map((spans) => spans.map((span) => span.text).join(""));
const CLOSED = /^(|ansi-((fg|bg)-([0-9]|1[0-5])|bold|dim|italic|underline|strike|inverse)( (?=a)|$))*$/;

function inPieces(pieces: readonly string[]): (readonly Span[])[] {
  const lines: (readonly Span[])[] = [];
  let open = new AnsiLine();
  const reader = new AnsiReader({
    get open() {
      return open;
    },
    finish() {
      lines.push(open.spans());
      open = new AnsiLine();
    },
  });
  for (const piece of pieces) reader.push(piece);
  return open.isEmpty ? lines : [...lines, open.spans()];
}

test("readAnsi applies overwriting and erasing within a line", () => {
  const table: [string, string[]][] = [
    ["one\ntwo", ["one", "two"]],
    ["one\r\ntwo\r\n", ["one", "two"]],
    ["\n\n", ["", ""]],
    [" 10 %\r 20 %\r100 %\n", ["100 %"]],
    ["downloading\rdone", ["doneloading"]],
    [`downloading\r${ESC}[Kdone`, ["done"]],
    [`downloading\r${ESC}[2Kdone`, ["done"]],
    [`downloading${ESC}[1G${ESC}[0Kdone`, ["done"]],
    [`abcdef${ESC}[3D${ESC}[K`, ["abc"]],
    [`abcdef${ESC}[3D${ESC}[1K`, ["    ef"]],
    [`abc${ESC}[2Kx`, ["   x"]],
    [`ab${ESC}[5Gx`, ["ab  x"]],
    [`ab\r${ESC}[1Cx`, ["ax"]],
    ["abc\b\bx", ["axc"]],
    ["\b\b\bx", ["x"]],
    ["a\tb\t\tc", ["a       b               c"]],
    ["💾💾\rx", ["x💾"]],
    ["💾\bx", ["x"]],
    ["ding\x07dong", ["dingdong"]],
  ];
  for (const [given, wanted] of table) assert.deepEqual(textOf(given), wanted, JSON.stringify(given));
});

test("readAnsi maps styles to a closed set of classes and ignores concealment", () => {
  const table: [string, Span[]][] = [
    [`${ESC}[31mred${ESC}[0m not`, [span("red", "ansi-fg-1"), span(" not")]],
    [
      `${ESC}[1;4;91mloud${ESC}[22;24m;${ESC}[39m.`,
      [span("loud", "ansi-bold ansi-underline ansi-fg-9"), span(";", "ansi-fg-9"), span(".")],
    ],
    [`${ESC}[m${ESC}[44mon blue`, [span("on blue", "ansi-bg-4")]],
    [`${ESC}[38;5;196mbright${ESC}[38;2;0;0;200mblue`, [span("bright", "ansi-fg-9"), span("blue", "ansi-fg-4")]],
    [`${ESC}[48:2::255:255:255mwhite`, [span("white", "ansi-bg-15")]],
    [`${ESC}[38:2:255:0:0mred${ESC}[4:3mcurly`, [span("red", "ansi-fg-9"), span("curly", "ansi-underline ansi-fg-9")]],
    [`${ESC}[38;5;244mgrey${ESC}[38;5;9m9`, [span("grey", "ansi-fg-8"), span("9", "ansi-fg-9")]],
    [`${ESC}[7mturned${ESC}[31mred`, [span("turned", "ansi-inverse"), span("red", "ansi-bg-1")]],
    [`${ESC}[8mhidden`, [span("hidden")]],
    [`${ESC}[31;41msame`, [span("same", "ansi-bg-1")]],
    [`${ESC}[38;5mcut`, [span("cut", "ansi-fg-0")]],
    [`${ESC}[999;38;7mnothing`, [span("nothing")]],
  ];
  for (const [given, wanted] of table) assert.deepEqual(readAnsi(given), [wanted], JSON.stringify(given));
});

function span(text: string, classes = ""): Span {
  return { text, classes };
}

test("readAnsi drops other escapes, and none hides the text after it", () => {
  const table: [string, string[]][] = [
    [`a${ESC}]0;a title\x07b`, ["ab"]],
    [`a${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\b`, ["alinkb"]],
    [`a${ESC}]52;c;cm0gLXJm\x07b`, ["ab"]],
    [`a${ESC}P1$r0m${ESC}\\b`, ["ab"]],
    [`a${ESC}[2J${ESC}[H${ESC}[?25l${ESC}[10A${ESC}[6n${ESC}[>cb`, ["ab"]],
    [`a${ESC}(B${ESC}7${ESC}8${ESC}c${ESC}=b`, ["ab"]],
    [`a${ESC}[3`, ["a"]],
    [`a${ESC}`, ["a"]],
    [`a${ESC}[3\nb`, ["a", "b"]],
    [`a${ESC}]0;never ends\nb`, ["a", "b"]],
    [`${ESC}${ESC}[31mx`, ["x"]],
    [`${ESC}[${"1".repeat(300)}mx`, [`${"1".repeat(43)}mx`]],
  ];
  for (const [given, wanted] of table) assert.deepEqual(textOf(given), wanted, JSON.stringify(given));
  const [shown = ""] = textOf(`${ESC}]${"x".repeat(5_000)}rm -rf`);
  assert.ok(shown.endsWith("rm -rf"));
});

test("readAnsi wraps a line at the maximum number of columns", () => {
  assert.deepEqual(
    textOf("x".repeat(2.5 * MAX_COLUMNS)).map((line) => line.length),
    [MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS / 2],
  );
  assert.equal([...(textOf("💾".repeat(MAX_COLUMNS + 1))[0] ?? "")].length, MAX_COLUMNS);
  assert.equal(textOf(`${ESC}[99999999999999999999Gx`)[0]?.length, MAX_COLUMNS);
});

const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 3, arbitrary: fc.constantFrom("\r", "\n", "\b", "\t", "\r\n", "ab", "💾", "\u202e", "<b>") },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(fc.nat({ max: 300 }), { maxLength: 4 }), fc.constantFrom(..."mKGCDJHABh"))
      .map(([params, final]) => `${ESC}[${params.join(";")}${final}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`${ESC}]0;t\x07`, `${ESC}]8;;u${ESC}\\`, ESC, `${ESC}[`, `${ESC}P`, `${ESC}(`),
  },
);
const outputs = fc.array(hostile, { maxLength: 40 }).map((parts) => parts.join(""));

test("AnsiReader gives the same lines however the stream is split", () => {
  fc.assert(
    fc.property(outputs, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      assert.deepEqual(inPieces(pieces), inPieces([text]));
      assert.deepEqual(inPieces([...text]), inPieces([text]));
    }),
    { numRuns: 500 },
  );
});

test("AnsiReader bounds lines and emits no escape and only known classes", () => {
  fc.assert(
    fc.property(outputs, (text) => {
      for (const spans of inPieces([text])) {
        assert.ok([...spans.map((each) => each.text).join("")].length <= MAX_COLUMNS);
        for (const each of spans) {
          assert.doesNotMatch(each.text, /[\x1b\n\r\x07]/);
          assert.match(each.classes, CLOSED);
          assert.notEqual(each.text, "");
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("readAnsi returns plain text unchanged", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 }), { maxLength: 10 }), (lines) => {
      const text = lines.join("\n");
      assert.deepEqual(
        textOf(text),
        text === "" ? [] : text.endsWith("\n") || lines.at(-1) === "" ? lines.slice(0, -1) : lines,
      );
    }),
  );
});
