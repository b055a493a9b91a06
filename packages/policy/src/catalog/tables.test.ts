import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { classify } from "../classify/classify.ts";
import { DANGER_PATTERNS } from "./dangers/danger-patterns.ts";
import { RISKY_VARIABLES } from "./environment.ts";
import { TABLES } from "./tables.ts";
import { TOOLS } from "./tools/tools.ts";

const context = fixtureContext();

describe("tool tables", () => {
  for (const tool of TOOLS) {
    it(tool.names.join(", "), () => {
      assert.ok(tool.examples.safe.length > 0 && tool.examples.notSafe.length > 0);
      for (const command of tool.examples.safe) {
        const { riskLevel, riskReasons } = classify(command, context);
        assert.deepEqual({ command, riskLevel, riskReasons }, { command, riskLevel: "safe", riskReasons: [] });
      }
      for (const command of tool.examples.notSafe)
        assert.notEqual(classify(command, context).riskLevel, "safe", command);
    });
  }

  it("name each program once", () => {
    const names = TOOLS.flatMap((tool) => tool.names);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length >= 150, `${names.length} programs`);
  });
});

describe("dangerous patterns", () => {
  const found = (command: string) => classify(command, context).effects.map((effect) => effect.ruleId);
  for (const pattern of DANGER_PATTERNS) {
    it(pattern.id, () => {
      assert.ok(pattern.examples.matches.length > 0 && pattern.examples.misses.length > 0);
      for (const command of pattern.examples.matches) assert.ok(found(command).includes(pattern.id), command);
      for (const command of pattern.examples.misses) assert.ok(!found(command).includes(pattern.id), command);
    });
  }

  it("are at least 25, each with its own id", () => {
    assert.ok(DANGER_PATTERNS.length >= 25);
    assert.equal(new Set(DANGER_PATTERNS.map((pattern) => pattern.id)).size, DANGER_PATTERNS.length);
  });
});

it("the guide shows a table as it is", () => {
  const guide = readFileSync(new URL("../../../../docs/add-a-tool.md", import.meta.url), "utf8");
  const [, shown = ""] = /^```ts\n([\s\S]*?)^```/m.exec(guide) ?? [];
  assert.notEqual(shown, "");
  assert.ok(readFileSync(new URL("tools/text.ts", import.meta.url), "utf8").includes(shown));
});

describe("risky variables", () => {
  const found = (command: string) => classify(command, context).riskReasons;
  for (const { name, says, examples } of RISKY_VARIABLES) {
    it(`${name.slice(0, 40)} ${says}`, () => {
      for (const command of examples.matches)
        assert.ok(
          found(command).some((reason) => reason.endsWith(says)),
          command,
        );
      for (const command of examples.misses)
        assert.ok(!found(command).some((reason) => reason.endsWith(says)), command);
    });
  }
});

it("the tables are plain data", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(TABLES)), TABLES);
});
