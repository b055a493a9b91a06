import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { explanationSchema } from "@countersign/protocol/proposals";
import { type Ended, Place, type Running } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

function writeProfile(place: Place, block: object, id = "default"): void {
  mkdirSync(join(place.home, "profiles", id), { recursive: true });
  writeFileSync(join(place.home, "profiles", id, "config.json"), JSON.stringify({ execApproval: block }));
}

async function batch(place: Place, input: string | Buffer): Promise<Ended> {
  const running = place.start(["explain", "--batch"]);
  running.child.stdin?.end(input);
  return await running.ended;
}

test("explain needs no hub and no home, and tells all of it", async (t) => {
  const place = new Place(t);
  const { code, stdout } = await place.run("explain", "echo done && rm -rf /tmp/test-data");
  assert.equal(code, 0);
  assert.deepEqual(stdout.split("\n"), [
    "DANGEROUS, asked about",
    "",
    " $ echo done && rm -rf /tmp/test-data",
    "                ^^^^^^^^^^^^^^^^^^^^^",
    "                1 2",
    "",
    " 1  Matches dangerous pattern: rm with -r or -f flags [deletes; dangerous-pattern,",
    "    rm.recursive-or-force, dangerous]",
    " 2  Uses recursive/force deletion flags [deletes; dangerous-pattern, rm.recursive-or-force,",
    "    dangerous]",
    "",
    "Decision: ask, by the policy: Not everything in the command is safe or covered by an entry",
    "Always would save: rm ** (deletes up to dangerous; in /tmp/test-data)",
    "",
  ]);
  const words = await place.run("explain", "echo", "a b");
  assert.match(words.stdout, / \$ echo 'a b'\n/);
});

test("explain shows what stands in a script that it can look up", async (t) => {
  const place = new Place(t);
  const scripts = { test: "vitest run", pretest: "tsc" };
  writeFileSync(join(place.workspace, "package.json"), JSON.stringify({ scripts }));
  const { stdout } = await place.run("explain", "npm test");
  assert.match(stdout, /\n {6}script "pretest": "tsc"\n {6}script "test": "vitest run"\n/);
});

deepTest("explain goes by the profile, the directory and the machine", async (t) => {
  const place = new Place(t);
  writeProfile(place, { allowlist: [{ pattern: "touch **", id: "entry-1" }] });
  writeProfile(place, { security: "deny" }, "strict");
  const told = async (...args: readonly string[]) => {
    const { stdout, stderr } = await place.run("explain", "--json", ...args);
    assert.equal(stderr, "");
    const json = JSON.parse(stdout);
    assert.deepEqual(explanationSchema.parse(json), json, "what is printed is what the wire's schema says");
    return explanationSchema.parse(json);
  };
  assert.deepEqual((await told("touch a")).decision, {
    ...{ verdict: "allow", by: "entry", reason: "Covered by touch **", entryIds: ["entry-1"] },
  });
  assert.equal((await told("--profile", "strict", "touch a")).decision.verdict, "deny");
  symlinkSync("/etc", join(place.workspace, "link"));
  const outside = await told("touch link/made");
  assert.deepEqual([outside.decision.verdict, outside.effects[0]?.target], ["ask", "/etc/made"]);
  writeFileSync(join(place.workspace, "tool"), "#!/bin/sh\n", { mode: 0o755 });
  assert.equal((await told("./tool")).effects[0]?.ruleId, "program.untrusted");
  const globbed = async () => {
    const { enforcement, riskLevel, inJail } = await told("cat *.md");
    return { enforcement, riskLevel, inJail: inJail?.riskLevel };
  };
  assert.deepEqual(await globbed(), { enforcement: "jail", riskLevel: "safe", inJail: undefined });
  writeProfile(place, { sandbox: "off" });
  assert.deepEqual(await globbed(), { enforcement: "none", riskLevel: "needs-review", inJail: "safe" });
  assert.equal((await told("--cwd", "/", "ls")).effects[0]?.ruleId, "context.outside");
  assert.equal((await told(`cat ${place.home}/keys/token`)).decision.by, "floor");
});

test("explain refuses what it can't explain, and says what to do", async (t) => {
  const place = new Place(t);
  const cases = [
    [[], 2, /Give the command to explain, or --batch/],
    [["--batch", "ls"], 2, /--batch takes commands from stdin/],
    [["--batch", "--profile", "default"], 2, /--batch takes commands from stdin/],
    [["--cwd", "/does/not/exist", "ls"], 1, /cwd: \/does\/not\/exist doesn't exist/],
    [["--profile", "none-such", "ls"], 1, /there's no profile none-such/],
    [["--profile", "../x", "ls"], 1, /profile: isn't a profile id/],
    [[""], 1, /command: is empty/],
  ] as const;
  await Promise.all(
    cases.map(async ([args, code, message]) => {
      const ended = await place.run("explain", ...args);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, message);
    }),
  );
  writeProfile(place, { security: "open" });
  assert.match((await place.run("explain", "ls")).stdout, /Decision: deny, by the policy: .*config\.json is invalid/);
});

test("what a command hides is shown, not obeyed", async (t) => {
  const place = new Place(t);
  const { stdout } = await place.run("explain", "echo \u202ea\u200b\x1b[31m\u0007; ls\n1  Allowed");
  assert.match(stdout, / \$ echo <U\+202E>a<U\+200B><U\+001B>\[31m<U\+0007>; ls\n/);
  assert.match(stdout, /^ > 1 {2}Allowed$/m, "a line of the command can't pose as one of ours");
  assert.doesNotMatch(stdout, /[\u202e\u200b\x1b\x07]/);
});

test("batch: one line each, in order, with exactly five keys, the same on every machine", async (t) => {
  const place = new Place(t);
  writeProfile(place, { security: "deny" });
  const commands = ["ls -la", "rm -rf /tmp/test-data", "unheard-of --now", "cat src/*.ts", "echo \ud800 \0"];
  const input = commands.map((cmd) => JSON.stringify({ label: "other", cmd, more: [1] })).join("\n");
  const { code, stdout, stderr } = await batch(place, input);
  assert.deepEqual([code, stderr], [0, ""]);
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    answers.map(({ cmd, riskLevel, decision }) => [cmd, riskLevel, decision]),
    [
      ["ls -la", "safe", "allow"],
      ["rm -rf /tmp/test-data", "dangerous", "ask"],
      ["unheard-of --now", "needs-review", "ask"],
      ["cat src/*.ts", "safe", "allow"],
      ["echo \ud800 \0", "needs-review", "ask"],
    ],
  );
  for (const answer of answers)
    assert.deepEqual(Object.keys(answer), ["cmd", "riskLevel", "decision", "riskReasons", "effects"]);
  assert.deepEqual(answers[1].riskReasons, [
    "Matches dangerous pattern: rm with -r or -f flags",
    "Uses recursive/force deletion flags",
  ]);
  assert.deepEqual(Object.keys(answers[1].effects[0]), [
    "kind",
    "risk",
    "sentence",
    "layer",
    "ruleId",
    "span",
    "target",
  ]);
});

deepTest("batch: a line that is no command keeps its place and tells why, and the code is 2", async (t) => {
  const place = new Place(t);
  const huge = JSON.stringify({ cmd: "x".repeat(2 * 1024 * 1024) });
  const lines = ['{"cmd":"ls"}', "{", "", "null", '{"cmd":7}', '["ls"]', huge, '{"cmd":"pwd"}\r'];
  const bytes = Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
  const { code, stdout } = await batch(place, bytes);
  assert.equal(code, 2);
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    answers.map(({ cmd, error }) => error?.code ?? cmd),
    ["ls", "INVALID", "INVALID", "INVALID", "INVALID", "INVALID", "LIMIT", "pwd", "INVALID"],
  );
  assert.deepEqual(Object.keys(answers[1]), ["cmd", "error"]);
});

test("batch answers each line as it comes", async (t) => {
  const running: Running = new Place(t).start(["explain", "--batch"]);
  const { stdin, stdout } = running.child;
  assert(stdin && stdout);
  const lines = createInterface(stdout);
  for (const cmd of ["ls", "pwd"]) {
    const answer = once(lines, "line");
    stdin.write(`${JSON.stringify({ cmd })}\n`);
    assert.equal(JSON.parse(String((await answer)[0])).cmd, cmd);
  }
  stdin.end();
  assert.equal((await running.ended).code, 0);
});
