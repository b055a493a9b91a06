import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { filterSecrets, REDACTED } from "./filter-secrets.ts";
import { knownSecrets } from "./known-secrets.ts";

const VALUE = 'tr0ub4dor&3 "horse"/+';

test("a known value is found as it is, and in URLs, JSON and base64", () => {
  knownSecrets.add(VALUE);
  const table: [string, string][] = [
    [`x${VALUE}y`, `x${REDACTED}y`],
    [`?a=${encodeURIComponent(VALUE)}&b`, `?a=${REDACTED}&b`],
    [JSON.stringify({ a: VALUE }), `{"a":"${REDACTED}"}`],
    [VALUE.slice(0, -1), VALUE.slice(0, -1)],
  ];
  for (const [text, expected] of table) assert.equal(filterSecrets(text), expected);
  fc.assert(
    fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
      for (const encoding of ["base64", "base64url"] as const) {
        const text = Buffer.from(before + VALUE + after).toString(encoding);
        const left = filterSecrets(text);
        assert.ok(left.includes(REDACTED), text);
        assert.ok(left.length < text.length - VALUE.length + REDACTED.length, left);
      }
    }),
  );
  knownSecrets.remove(VALUE);
  assert.equal(filterSecrets(`x${VALUE}y`), `x${VALUE}y`);
});

test("one value may begin another; short ones and too many are not known, but those to be kept are", () => {
  const values = ["tr0ub4dor", "tr0ub4dor-and-more"];
  for (const value of values) knownSecrets.add(value);
  assert.equal(filterSecrets("tr0ub4dor-and-more tr0ub4dor."), `${REDACTED} ${REDACTED}.`);
  for (const value of values) knownSecrets.remove(value);
  knownSecrets.add("short");
  assert.equal(filterSecrets("short"), "short");
  knownSecrets.keep("the first of all");
  for (let index = 0; index <= 2_048; index += 1) knownSecrets.add(`value number ${index}.`);
  assert.equal(filterSecrets("value number 0."), "value number 0.");
  assert.equal(filterSecrets("the first of all"), REDACTED);
  knownSecrets.remove("the first of all");
  assert.equal(filterSecrets("value number 2048."), REDACTED);
  for (let index = 0; index <= 2_048; index += 1) knownSecrets.remove(`value number ${index}.`);
});
