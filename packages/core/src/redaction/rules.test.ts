import assert from "node:assert/strict";
import { test } from "node:test";
import { filterSecrets, REDACTED } from "./filter-secrets.ts";
import { WINDOW } from "./rules/rule.ts";
import { RULES } from "./rules.ts";

for (const rule of RULES) {
  test(`rule ${rule.id}`, () => {
    for (const example of rule.finds) {
      const text = example.replaceAll(/[«»]/g, "");
      assert.equal(filterSecrets(text), example.replaceAll(/«[^»]*»/g, REDACTED), example);
    }
    for (const text of rule.misses) assert.equal(filterSecrets(text), text);
  });
}

/** Linear by construction: no run without an end, no run of runs, nothing that crosses the line. */
test("heads are bounded and stay on their line", () => {
  for (const { id, head, gate = "", endLine = "", anchors } of RULES) {
    for (const source of [head, gate, endLine]) {
      const bare = source.replaceAll(/\\./g, "x").replaceAll(/\[\^?\]?[^\]]*\]/g, "c");
      assert.doesNotMatch(bare, /[*+]|\{\d+,\}/, `${id}: a run without an end`);
      assert.doesNotMatch(bare, /[}?]\)\{/, `${id}: a run of runs`);
    }
    const longest = [gate, head].flatMap((source) => [...source.matchAll(/\{(?:\d+,)?(\d+)\}/g)]);
    const sum = longest.reduce((all, [, most]) => all + Number(most), 200);
    assert.ok(sum <= WINDOW, `${id}: ${sum} characters don't fit the window`);
    for (const anchor of anchors) assert.match(anchor, /^[\x20-\x7e\t]{3,}$/, id);
  }
});

test("a rule's name is its own", () => {
  assert.equal(new Set(RULES.map((rule) => rule.id)).size, RULES.length);
});
