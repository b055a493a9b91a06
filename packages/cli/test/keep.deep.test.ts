import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

deepTest("backup copies and verifies, beside a running hub and without one, and overwrites nothing", async (t) => {
  const place = new Place(t);
  const empty = await place.run("backup", "none.db");
  assert.equal(empty.code, 1);
  assert.match(empty.stderr, /nothing to back up/);

  const hub = await place.serve();
  await place.run("exec", "--", "ls");
  const beside = await place.run("backup", "beside.db");
  assert.deepEqual({ code: beside.code, stderr: beside.stderr }, { code: 0, stderr: "" });
  assert.match(beside.stdout, /\nledger: \d+ receipts, whole\nhead: sha256:[0-9a-f]{64}\n$/);
  assert.equal(statSync(join(place.workspace, "beside.db")).mode & 0o777, 0o600);
  assert.equal((await place.run("exec", "--", "ls")).code, 0);
  await hub.stop();

  const { file, entries, head } = JSON.parse((await place.run("backup", "--json", "after.db")).stdout);
  assert.equal(file, join(place.workspace, "after.db"));
  assert.ok(entries > Number(/ledger: (\d+)/.exec(beside.stdout)?.[1]));
  assert.match(head, /^sha256:/);
  writeFileSync(join(place.workspace, "precious"), "precious");
  const refused = await place.run("backup", "precious");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Name a file that doesn't exist yet/);
});

deepTest("audit.jsonl is written anew from the ledger, line for line, and not beside a hub", async (t) => {
  const place = new Place(t);
  assert.match((await place.run("db", "rebuild-audit")).stderr, /no database yet/);
  const hub = await place.serve();
  for (const command of ["ls", "echo OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwxyz"])
    await place.run("exec", "--", command);
  const beside = await place.run("db", "rebuild-audit");
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /running.*Stop it first/s);
  await hub.stop();
  const file = join(place.home, "audit.jsonl");
  const before = readFileSync(file, "utf8");
  assert.ok(before.includes("tool_exec"));
  writeFileSync(file, "{}\n");
  const { code, stdout } = await place.run("db", "rebuild-audit", "--json");
  assert.deepEqual([code, JSON.parse(stdout)], [0, { file, lines: before.split("\n").length - 1 }]);
  assert.equal(readFileSync(file, "utf8"), before);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("demo tells its story in 45 lines, needs no hub and leaves nothing", async (t) => {
  const place = new Place(t);
  const before = scratches();
  const { code, stdout, stderr } = await place.run("demo");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, stdout);
  const lines = stdout.trimEnd().split("\n");
  assert.ok(lines.length <= 45, stdout);
  for (const text of [
    "$ ls",
    "REVIEW",
    "DANGEROUS",
    "use the package manager",
    "receipts, whole",
    "countersign serve",
  ]) {
    assert.ok(stdout.includes(text), `${text} isn't in ${stdout}`);
  }
  assert.deepEqual(scratches(), before);
});

deepTest("demo --json says for each step who was asked and how it ended", async (t) => {
  const { code, stdout } = await new Place(t).run("demo", "--json");
  assert.equal(code, 0);
  const { steps, ledger } = JSON.parse(stdout);
  assert.deepEqual(
    steps.map((step: { asked: boolean; riskLevel?: string; outcome: { kind: string } }) => [
      step.asked,
      step.riskLevel,
      step.outcome.kind,
    ]),
    [
      [false, undefined, "exited"],
      [true, "needs-review", "exited"],
      [true, "dangerous", "denied"],
      [true, "dangerous", "exited"],
      [false, undefined, "exited"],
    ],
  );
  assert.equal(ledger.whole, true);
});

test("help names this version's commands and no others, and teaches the exit codes", async (t) => {
  const place = new Place(t);
  const { code, stdout } = await place.run("--help");
  assert.equal(code, 0);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+)(?= .*\[options\]| \[options\])/gm)].map(([, name]) => name);
  const answering = ["pending", "watch", "preview", "approve", "deny", "policy", "token", "receipts"];
  assert.deepEqual(commands, [
    "serve",
    "gateway",
    "demo",
    ...["pair", "phone"],
    "install",
    "uninstall",
    "doctor",
    "coverage",
    "service",
    "exec",
    "run",
    "hook",
    "chat",
    ...["mcp", "acp"],
    "explain",
    ...answering,
    ...["recorder", "execd", "report", "today"],
    "pause",
    "resume",
    "db",
    "backup",
  ]);
  assert.match(stdout, /126 +exec: denied/);
  // A process for each.
  for (const command of process.env.COUNTERSIGN_DEEP ? commands : commands.slice(0, 3))
    assert.match((await place.run(String(command), "--help")).stdout, /\nExample:\n {2}countersign /);
  const unknown = await place.run("aprove");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /Did you mean approve\?/);
});

function scratches(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("cs-demo-"));
}
