import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { filterSecrets, filterSecretsDeep, REDACTED } from "./filter-secrets.ts";

const ANT = `sk-ant-api03-${"aB3_-".repeat(5)}`;
const OPENAI = `sk-${"aB3".repeat(8)}`;
const GITHUB = `ghp_${"aB3d".repeat(9)}`;
const TOKEN = "eyJh.bGci_Oi-JIUzI1NiJ9";

test("every pattern of seed 003 is redacted, and assignments keep their name", () => {
  const table: [string, string][] = [
    [`key ${ANT} end`, `key ${REDACTED} end`],
    [ANT.toUpperCase(), REDACTED],
    [`a=${OPENAI};`, `a=${REDACTED};`],
    [`Authorization: Bearer ${TOKEN}\n`, `Authorization: ${REDACTED}\n`],
    [`authorization: bearer ${TOKEN}`, `authorization: ${REDACTED}`],
    [`https://${GITHUB}@github.com`, `https://${REDACTED}@github.com`],
    ["ANTHROPIC_API_KEY=sk-ant-fake123", `ANTHROPIC_API_KEY=${REDACTED}`],
    ["export OPENAI_API_KEY='x y'", `export OPENAI_API_KEY=${REDACTED}`],
    ["PROJ_JARVIS_TOKEN=a;b", `PROJ_JARVIS_TOKEN=${REDACTED}`],
    ["countersign_token=short x", `countersign_token=${REDACTED} x`],
    [`${ANT}\n${ANT} ${GITHUB}`, `${REDACTED}\n${REDACTED} ${REDACTED}`],
    // Too short, or not a secret's name.
    ["sk-short ghp_short Bearer short", "sk-short ghp_short Bearer short"],
    ["MY_OPENAI_API_KEY=x", "MY_OPENAI_API_KEY=x"],
    ["OPENAI_API_KEY= x", "OPENAI_API_KEY= x"],
  ];
  for (const [text, expected] of table) assert.equal(filterSecrets(text), expected);
});

test("nothing of a secret is left, wherever it stands", () => {
  const around = fc.string({ unit: fc.constantFrom(" ", "\n", "x", "-", "=", "'", "sk-", "Bearer "), maxLength: 6 });
  fc.assert(
    fc.property(
      around,
      fc.constantFrom(
        `sk-ant-${"Q".repeat(30)}`,
        `sk-${"Q".repeat(30)}`,
        `ghp_${"Q".repeat(36)}`,
        `Bearer ${"Q".repeat(30)}`,
      ),
      around,
      (before, secret, after) => {
        const text = before + secret + after;
        assert.doesNotMatch(filterSecrets(text), /Q{19}/, text);
      },
    ),
  );
});

test("texts are filtered at any depth, and nothing else is touched", () => {
  const value = { a: [ANT, { b: `x ${GITHUB}` }], n: 1, t: true, z: null, ["__proto__"]: OPENAI };
  const filtered = filterSecretsDeep(value);
  assert.deepEqual(filtered, {
    a: [REDACTED, { b: `x ${REDACTED}` }],
    n: 1,
    t: true,
    z: null,
    ["__proto__"]: REDACTED,
  });
  assert.equal(value.a[0], ANT);
});
