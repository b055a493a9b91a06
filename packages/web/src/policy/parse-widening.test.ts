import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWidening } from "./parse-widening.ts";

test("parseWidening describes what a file would newly allow", () => {
  const rows: [string, ReturnType<typeof parseWidening>][] = [
    [
      "ask: on-miss → off",
      {
        words:
          "When you are asked: Never: commands that aren’t allowed are denied. Until now: About commands that aren’t allowed already",
      },
    ],
    [
      "safeIsMiss: true → false",
      { words: "Safe commands: Run without asking. Until now: Ask too, until an entry allows them" },
    ],
    ['allowlist: adds "curl \\"x\\" **"', { words: "Allows", text: 'curl "x" **' }],
    [
      'allowlist: adds or widens "a \\"b\\"": writes up to safe; until now: in "x"',
      { words: "Allows", text: 'a "b"', bounds: 'writes up to safe; until now: in "x"' },
    ],
    ['denylist: removes "a\\nb"', { words: "No longer denies", text: "a\nb" }],
    [
      'grants: adds "/home/me"',
      { words: "Allows, jailed and without network, anything that stays in", text: "/home/me" },
    ],
    ["roots: adds /", { words: "roots: adds /" }],
    [
      "env: changed, and this version doesn't know what it allows",
      { words: "env: changed, and this version doesn't know what it allows" },
    ],
  ];
  for (const [sentence, told] of rows) assert.deepEqual(parseWidening(sentence), told);
});
