import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalize } from "./canonicalize.ts";
import { findInCanonical } from "./scan-canonical.ts";

const text = fc.string({ unit: "binary", maxLength: 8 });
const key = fc.oneof(text, fc.constantFrom("proof", "a", "b", "10", "9", "__proto__", "é", "\ue000", "😀"));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(true, false, -0, 1e21, 1e-7, 5e-324, 2 ** 53),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
})).value;
const document = fc.dictionary(key, json, { maxKeys: 6 });

test("finds a member in whatever is canonical, and taking it out leaves the rest canonical", () => {
  fc.assert(
    fc.property(document, json, (rest, value) => {
      // "@" sorts before, so that there is always a comma in front.
      const whole = { ...rest, "@": 1, proof: value };
      const written = canonicalize(whole);
      const extent = findInCanonical(written, "proof");
      if (extent === null)
        return assert.match(written, /\\|null/, "only null and escaped keys may be left to slower ways");
      assert.equal(written.slice(extent.start, extent.end), `,"proof":${canonicalize(value)}`);
      const { proof: _, ...without } = whole;
      assert.equal(written.slice(0, extent.start) + written.slice(extent.end), canonicalize(without));
    }),
    { numRuns: 2_000 },
  );
});

test("calls nothing canonical that isn't", () => {
  fc.assert(
    fc.property(
      document,
      fc.nat(),
      fc.string({ unit: "binary-ascii", maxLength: 2 }),
      fc.nat(2),
      (value, at, put, cut) => {
        const written = canonicalize({ ...value, "@": 1, proof: "p" });
        const place = at % written.length;
        const changed = written.slice(0, place) + put + written.slice(place + cut);
        // Text from bytes never has half a pair.
        fc.pre(changed.isWellFormed());
        if (findInCanonical(changed, "proof") !== null) assert.equal(canonicalize(JSON.parse(changed)), changed);
      },
    ),
    { numRuns: 5_000 },
  );
});

test("leaves alone what only looks canonical", () => {
  for (const source of [
    "",
    "[]",
    '"proof"',
    '{"proof":1',
    '{"proof":1}}',
    '{"proof":1} ',
    '{ "proof":1}',
    '{"proof":1,"proof":1}',
    '{"z":1,"proof":1}',
    '{"proof":1.0}',
    '{"proof":-0}',
    '{"proof":1E5}',
    '{"proof":1e400}',
    '{"proof":9007199254740993}',
    '{"proof":01}',
    '{"proof":+1}',
    '{"proof":.5}',
    '{"proof":"\\u0041"}',
    '{"proof":"\\/"}',
    '{"proof":"\\u000a"}',
    '{"proof":"\\u001F"}',
    '{"proof":"\u0001"}',
    '{"proof":"open}',
    '{"proof":"\\"}',
    '{"proof":nul}',
    '{"proof":undefined}',
    `{"proof":${"[".repeat(100)}${"]".repeat(100)}}`,
  ]) {
    assert.equal(findInCanonical(source, "proof"), null, source.slice(0, 40));
  }
});
