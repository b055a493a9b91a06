import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@countersign/core/base";
import { openHub } from "../../test/support/open-hub.ts";
import { syntaxProblem } from "./syntax-problem.ts";

const problem = (command: string, shell = "/bin/bash") => syntaxProblem({ shell, command }, systemClock);

test("several lines are read before any of them runs", async () => {
  const table: [string, RegExp | undefined][] = [
    ["echo a\necho b", undefined],
    ["cat <<X\n$(\nX", undefined],
    ["echo 'ü'\n# 漢", undefined],
    ["echo a\nif", /line 3: syntax error: unexpected end of file/],
    ["echo a\n)", /line 2: syntax error near unexpected token `\)'/],
    ["echo a\necho 'b", /line 2: unexpected EOF/],
    [`echo a\n${")".repeat(10_000)}`, /^bash can't read it: .{100,500}$/s],
  ];
  for (const [command, expected] of table) {
    const found = await problem(command);
    if (expected) assert.match(found ?? "nothing found", expected, command.slice(0, 40));
    else assert.equal(found, undefined, command);
  }
});

test("a shell that can't be started is a problem, not a pass", async () => {
  assert.match((await problem("a\nb", "/nonexistent/bash")) ?? "", /^bash could not be started: .*ENOENT/);
});

test("through the hub: a command whose second line is wrong doesn't run its first", async (t) => {
  const test = await openHub(t, { profile: { security: "full", ask: "off" } });
  const marker = join(test.workspace, "marker");
  for (const command of [
    `touch ${marker}\nif`,
    `touch ${marker}\n)`,
    `touch ${marker}; if`,
    `touch ${marker}; (`,
    `touch ${marker} $(`,
    `touch ${marker}; 'x`,
  ]) {
    const outcome = await test.propose(command);
    assert.ok(!existsSync(marker), `${command} ran`);
    assert.notEqual(outcome.exitCode, 0, command);
  }
  assert.deepEqual(readdirSync(test.workspace), []);
  assert.equal((await test.propose(`touch ${marker}\ntrue`)).kind, "exited");
  assert.ok(existsSync(marker));
});
