import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTools } from "../support/open-tools.ts";

const MARK = "t00lM4rk";
const SECRET = `ghp_${MARK.repeat(5)}`.slice(0, 40);

test("no tool's result, error or event tells a secret", async (t) => {
  const test = await openTools(t, { profile: { ask: "off", security: "full" } });
  writeFileSync(join(test.workspace, "a.cfg"), `one\ntoken = ${SECRET}\n`);
  mkdirSync(join(test.workspace, SECRET));
  const told: unknown[] = [
    await test.execute("read_file", { path: "a.cfg" }),
    await test.execute("list_dir", { path: "." }),
    await test.execute("bash", { command: "cat a.cfg; pwd", workingDir: SECRET }),
    await test.execute("bash", { command: `echo ${SECRET} >&2; exit 2` }),
    await test.run("bash", { command: "grep --color=always ghp_ a.cfg" }),
  ];
  for (const [name, input] of [
    ["read_file", { path: `${SECRET}/x` }],
    ["read_file", { [SECRET]: 1 }],
    ["edit_file", { path: "a.cfg", oldText: SECRET, newText: "x" }],
    ["bash", { command: "ls", workingDir: `../${SECRET}` }],
  ] as const) {
    const cause: unknown = await test.execute(name, input).catch((refused: unknown) => refused);
    assert.ok(cause instanceof Error, name);
    told.push(cause.message);
  }
  for (const one of [...told, test.events]) assert.ok(!JSON.stringify(one).includes(MARK), JSON.stringify(one));
  assert.ok(told.filter((one) => JSON.stringify(one).includes("[REDACTED]")).length >= 5);
});

test("the card of a tool hides the secret, in the command and in its diff", async (t) => {
  const test = await openTools(t);
  const writing = test.execute("write_file", { path: "a.cfg", content: `one\ntoken = ${SECRET}\n` });
  const card = await test.answer({ decision: "allow-once" });
  assert.match(card.diff ?? "", /^\+token = \[REDACTED\]$/m);
  assert.ok(!JSON.stringify(card).includes(MARK), JSON.stringify(card));
  assert.equal((await writing).exitCode, 0);
  assert.equal(
    readFileSync(join(test.workspace, "a.cfg"), "utf8"),
    `one\ntoken = ${SECRET}\n`,
    "what runs is unchanged",
  );
});
