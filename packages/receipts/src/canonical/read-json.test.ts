import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalize, MAX_DEPTH } from "./canonicalize.ts";
import { decodeUtf8, JsonError, type JsonFault, parseJson, readJson } from "./read-json.ts";

const text = fc.string({ unit: "binary" });
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
    fc.integer(),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "10")), tie("value"), { maxKeys: 5 }),
  ),
})).value;

test("reads what JSON.stringify writes, however it is indented", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, "\t", "\r\n"), (value, indent) => {
      const written = JSON.stringify(value, null, indent);
      assert.equal(canonicalize(readJson(written)), canonicalize(value));
    }),
    { numRuns: 1_000 },
  );
});

test("takes nothing that JSON.parse refuses, and reads the rest the same", () => {
  const pieces = fc.constantFrom(
    ...'{}[]",:\\ \n019-+.eEu0aDd8ctrue false null',
    "\u0000",
    "\ufeff",
    "é",
    "😀",
    "\ud83d",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 14 }).map((each) => each.join("")),
        mangled(),
      ),
      (source) => {
        const mine = attempt(() => readJson(source));
        const theirs = attempt(() => JSON.parse(source));
        if (mine.kind === "read") assert.deepEqual(mine, theirs);
        else if (theirs.kind === "read") assert.notEqual(mine.code, "BAD_JSON", source);
      },
    ),
    { numRuns: 5_000 },
  );
});

function mangled(): fc.Arbitrary<string> {
  return fc.tuple(json, fc.nat(), fc.nat(255)).map(([value, at, bits]) => {
    const written = JSON.stringify(value);
    const place = at % written.length;
    return written.slice(0, place) + String.fromCharCode(written.charCodeAt(place) ^ bits) + written.slice(place + 1);
  });
}

type Attempt = { kind: "read"; value: unknown } | { kind: "refused"; code: string };
function attempt(read: () => unknown): Attempt {
  try {
    return { kind: "read", value: read() };
  } catch (error) {
    return { kind: "refused", code: error instanceof JsonError ? error.code : "parse" };
  }
}

test("names what JSON.parse would let through or change", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const refused: readonly (readonly [string, JsonFault])[] = [
    ['{"a":1,"a":1}', "DUPLICATE_KEY"],
    ['{"a":1,"\\u0061":2}', "DUPLICATE_KEY"],
    ['{"__proto__":1,"__proto__":2}', "DUPLICATE_KEY"],
    ['[{"x":{"b":1,"c":2,"b":3}}]', "DUPLICATE_KEY"],
    ['"\\ud800"', "LONE_SURROGATE"],
    ['{"\\udc00":1}', "LONE_SURROGATE"],
    ['"\\ud83d\\u0041"', "LONE_SURROGATE"],
    ["1e400", "NUMBER_RANGE"],
    ["-1e400", "NUMBER_RANGE"],
    ["1e-400", "NUMBER_RANGE"],
    ["9007199254740993", "NUMBER_RANGE"],
    ["-9007199254740993", "NUMBER_RANGE"],
    ["0.10000000000000001", "NUMBER_RANGE"],
    ["3.141592653589793238462643383279", "NUMBER_RANGE"],
    [deep(MAX_DEPTH + 2), "TOO_DEEP"],
    ["[".repeat(1_000_000), "TOO_DEEP"],
    ['{"a":'.repeat(100_000), "TOO_DEEP"],
    ["\ufeff{}", "BAD_JSON"],
    ["", "BAD_JSON"],
    ["{}{}", "BAD_JSON"],
    ["[1,]", "BAD_JSON"],
    ["01", "BAD_JSON"],
    ["NaN", "BAD_JSON"],
    ['"\u0000"', "BAD_JSON"],
    ['"\\x41"', "BAD_JSON"],
    ['"open', "BAD_JSON"],
    ["\u00a0{}", "BAD_JSON"],
  ];
  for (const [source, code] of refused) {
    assert.throws(() => readJson(source), { name: "JsonError", code }, source.slice(0, 40));
  }
  assert.doesNotThrow(() => readJson(deep(MAX_DEPTH + 1)));
});

test("takes numbers however they are written, as long as a double holds them", () => {
  const read: readonly (readonly [string, number])[] = [
    ["-0.0", -0],
    ["1.0", 1],
    ["10e-1", 1],
    ["1E2", 100],
    ["9007199254740992", 2 ** 53],
    ["100000000000000000000", 1e20],
    ["0.30000000000000004", 0.1 + 0.2],
    ["5e-324", 5e-324],
    ["123456789012345680000", 123456789012345680000],
  ];
  for (const [literal, value] of read) assert.equal(readJson(literal), value, literal);
});

test("bytes that aren't UTF-8 are refused, and a byte order mark isn't swallowed", () => {
  for (const bytes of [
    [0xff],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80],
    [0xc3],
  ]) {
    assert.throws(() => decodeUtf8(Uint8Array.from(bytes)), { code: "INVALID_UTF8" }, bytes.join());
  }
  assert.equal(decodeUtf8(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31])), "\ufeff1");
});

test("parseJson reads what JSON.parse reads, but for repeated keys and depth", () => {
  const pieces = fc.constantFrom(
    ...'{}[]",:\\ \n019-+.eEu0aDd8ctrue false null',
    "\u0000",
    "é",
    "\ud83d",
    "1e999",
    '"a":1',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces).map((parts) => parts.join("")),
        json.map((value) => JSON.stringify(value)),
      ),
      (given) => {
        const lenient = tried(() => JSON.parse(given) as unknown);
        const ours = tried(() => parseJson(given));
        if (ours instanceof SyntaxError && /occurs twice/.test(ours.message)) return;
        if (lenient instanceof SyntaxError) assert.equal((ours as Error).message, lenient.message);
        else assert.deepEqual(ours, lenient);
      },
    ),
    { numRuns: 5_000 },
  );
});

function tried(read: () => unknown): unknown {
  try {
    return read();
  } catch (cause) {
    return cause;
  }
}

test("parseJson refuses a repeated key, however it is written, with its place and without its text", () => {
  for (const [given, at] of [
    ['{"a":1,"a":1}', "position 7 (line 1 column 8)"],
    ['{"a":1,\n "\\u0061":2}', "position 9 (line 2 column 2)"],
    ['[{"b":{"__proto__":1,"__proto__":2}}]', "position 21 (line 1 column 22)"],
    ['{"a":{"a":1},"b":[{"a":1}],"c":{},"c":[]}', "position 34 (line 1 column 35)"],
  ] as const) {
    assert.throws(() => parseJson(given), { name: "SyntaxError", message: `A key that occurs twice in JSON at ${at}` });
  }
  assert.deepEqual(parseJson('[{"a":{"a":1}},{"a":2}]'), [{ a: { a: 1 } }, { a: 2 }]);
});

test("parseJson keeps numbers and lone surrogates as JSON.parse does, and refuses deep nesting", () => {
  assert.deepEqual(parseJson('[1e400,9007199254740993,"\\ud800"]'), [
    Number.POSITIVE_INFINITY,
    9007199254740992,
    "\ud800",
  ]);
  assert.throws(() => parseJson("[".repeat(1_000_000)), /^SyntaxError: More than 512 levels in JSON at position 513 /);
});
