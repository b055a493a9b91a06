import assert from "node:assert/strict";
import { test } from "node:test";
import reference from "canonicalize";
import fc from "fast-check";
import { CanonicalError, canonicalize } from "./canonicalize.ts";

/** Any Unicode text: surrogates only in pairs, NUL and control characters too. */
const text = fc.string({ unit: "binary" });
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(null, true, false, -0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    text,
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "10", "9")), tie("value"), { maxKeys: 6 }),
  ),
})).value;

test("agrees with another implementation of RFC 8785", () => {
  fc.assert(
    fc.property(json, (value) => {
      assert.equal(canonicalize(value), reference(value));
    }),
    { numRuns: 1_000 },
  );
});

test("reads back as the same value, and writing that again changes nothing", () => {
  fc.assert(
    fc.property(json, (value) => {
      const written = canonicalize(value);
      assert.equal(canonicalize(JSON.parse(written)), written);
    }),
    { numRuns: 500 },
  );
});

test("doesn't depend on the order in which keys were made", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 10 }), (keys) => {
      const forwards = Object.fromEntries(keys.map((key) => [key, key]));
      const backwards = Object.fromEntries(keys.map((key) => [key, key]).reverse());
      assert.equal(canonicalize(forwards), canonicalize(backwards));
    }),
  );
});

test("writes what the RFC's examples say", () => {
  const vectors: readonly (readonly [unknown, string])[] = [
    [-0, "0"],
    [1e21, "1e+21"],
    [1e20, "100000000000000000000"],
    [5e-324, "5e-324"],
    [0.000001, "0.000001"],
    [1e-7, "1e-7"],
    [333333333.3333333, "333333333.3333333"],
    ["\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\u002f", '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    ["\u2028\u007f", '"\u2028\u007f"'],
    // 3.2.3: keys sort by UTF-16 units, so that the pair of 😀 (D83D …) comes before U+FB33.
    [
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ],
    [{ b: undefined, a: [] }, '{"a":[]}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [JSON.parse('{"__proto__":{"b":1},"a":2}'), '{"__proto__":{"b":1},"a":2}'],
  ];
  for (const [value, expected] of vectors) assert.equal(canonicalize(value), expected);
});

test("refuses what JSON can't carry, wherever it is", () => {
  const impossible: readonly (readonly [unknown, CanonicalError["code"]])[] = [
    [Number.NaN, "NOT_JSON"],
    [Number.POSITIVE_INFINITY, "NOT_JSON"],
    [Number.NEGATIVE_INFINITY, "NOT_JSON"],
    [1n, "NOT_JSON"],
    [undefined, "NOT_JSON"],
    [() => 1, "NOT_JSON"],
    [Symbol("s"), "NOT_JSON"],
    [new Date(0), "NOT_JSON"],
    [new Map(), "NOT_JSON"],
    [new Uint8Array(2), "NOT_JSON"],
    [new String("boxed"), "NOT_JSON"],
    [{ toJSON: () => 1 }, "NOT_JSON"],
    [new Array(2), "NOT_JSON"],
    ["\ud800", "LONE_SURROGATE"],
    ["a\udc00b", "LONE_SURROGATE"],
    [{ "\ud83d": 1 }, "LONE_SURROGATE"],
  ];
  for (const [value, code] of impossible) {
    for (const wrapped of [value, [1, value], { a: { b: value } }]) {
      // A member that is undefined is left out instead, as JSON.stringify does.
      if (value === undefined && !Array.isArray(wrapped) && wrapped !== undefined) continue;
      assert.throws(() => canonicalize(wrapped), refusedAs(code), String(typeof value));
    }
  }
});

test("refuses nesting past 64 and circles instead of running out of stack", () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? 0 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
  assert.equal(JSON.stringify(nested(64)), canonicalize(nested(64)));
  assert.throws(() => canonicalize(nested(65)), refusedAs("TOO_DEEP"));
  const circle: unknown[] = [];
  circle.push(circle);
  assert.throws(() => canonicalize(circle), refusedAs("TOO_DEEP"));
});

function refusedAs(code: CanonicalError["code"]): (error: unknown) => boolean {
  return (error) => error instanceof CanonicalError && error.code === code;
}
