import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually, type Serving, startServing } from "../support/serve-fixture.ts";

const OPEN = { security: "full", ask: "off" };

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailedHub(t: TestContext): Promise<Serving | undefined> {
  const s = await startServing(t, { profile: OPEN });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return s;
  t.skip(problem);
  return undefined;
}

const FILES = [
  ".envrc",
  ".vscode/tasks.json",
  ".husky/pre-commit",
  ".mcp.json",
  ".git/config",
  ".git/hooks/pre-commit",
  ".claude/settings.json",
  "sub/.envrc",
];

/** Waits for `go-<name>` before it goes on: nothing else than the test says when. Its words name nothing that starts code. */
const patient = (name: string, then: string) =>
  `node -e 'const f=require("fs");f.writeFileSync("up-${name}","");const w=()=>f.existsSync("go-${name}")?(${then}):setTimeout(w,5);w()'`;

const encoded = (path: string) => `Buffer.from("${Buffer.from(path).toString("base64")}","base64")`;

function put(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

function replace(root: string, name: string, text: string): void {
  writeFileSync(join(root, `${name}.new`), text);
  renameSync(join(root, `${name}.new`), join(root, name));
}

/** As a tool does that writes a tree anew: the first name of the path becomes another file or directory. */
function renew(root: string, name: string, text: string): void {
  const [first = ""] = name.split("/");
  put(root, name.replace(first, "renewed"), text);
  rmSync(join(root, first), { recursive: true });
  renameSync(join(root, "renewed"), join(root, first));
}

async function isUp(s: Serving, name: string): Promise<void> {
  await eventually(() => existsSync(join(s.workspace, `up-${name}`)));
}

test("a run can't leave what it wrote to a pinned file that the host replaced", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  for (const [at, name] of FILES.entries()) {
    put(s.workspace, name, "[core]\n");
    const write = `f.writeFileSync(${encoded(name)},"evil")`;
    const running = s.propose(patient(`${at}`, write));
    await isUp(s, `${at}`);
    renew(s.workspace, name, "renewed");
    put(s.workspace, `go-${at}`, "");
    const { kind, code, reason }: Record<string, string> = (await running).body;
    assert.deepEqual([kind, code], ["interrupted", "MOUNT_LOST"], `${name}: ${reason}`);
    assert.equal(existsSync(join(s.workspace, name)), false, name);
    assert.match(reason ?? "", /What starts code was changed while it ran/, name);
    const [, from = ""] = /`mv '([^']+)' '/.exec(reason ?? "") ?? [];
    assert.match(readFileSync(from, "utf8"), /^(renewed|evil)$/, name);
    rmSync(join(s.workspace, name.split("/")[0] ?? ""), { recursive: true, force: true });
  }
});

test("what a person saves beside a run is told with the way to take it back", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  put(s.workspace, ".envrc", "mine");
  const running = s.propose(patient("one", "0"));
  await isUp(s, "one");
  replace(s.workspace, ".envrc", "saved");
  put(s.workspace, "go-one", "");
  const { reason } = (await running).body;
  const [, command = ""] = /`(mv [^`]+)`/.exec(reason) ?? [];
  execFileSync("sh", ["-c", command]);
  assert.equal(readFileSync(join(s.workspace, ".envrc"), "utf8"), "saved");
  assert.equal((await s.propose("echo x > a")).body.reason, undefined);
  assert.equal(readFileSync(join(s.workspace, ".envrc"), "utf8"), "saved");
});

test("of two runs neither leaves what one wrote to a file that the other uncovered", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  put(s.workspace, "sub/.envrc", "mine");
  const one = s.propose(patient("one", `f.writeFileSync(${encoded("sub/.envrc")},"evil")`));
  await isUp(s, "one");
  const other = (await s.propose("rm -r sub; mkdir sub")).body;
  assert.deepEqual([other.kind, other.exitCode, other.reason], ["exited", 0, undefined]);
  put(s.workspace, "go-one", "");
  const { body } = await one;
  assert.deepEqual([body.kind, body.code], ["interrupted", "MOUNT_LOST"], body.reason);
  assert.equal(existsSync(join(s.workspace, "sub/.envrc")), false);
});

test("a name that a run keeps free, and the host takes, isn't left with what the run put there", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  const running = s.propose(patient("one", `f.writeFileSync(${encoded(".vscode/tasks.json")},"evil")`));
  await isUp(s, "one");
  rmSync(join(s.workspace, ".vscode"), { recursive: true });
  put(s.workspace, ".vscode/tasks.json", "evil");
  put(s.workspace, "go-one", "");
  const { body } = await running;
  assert.deepEqual([body.kind, existsSync(join(s.workspace, ".vscode"))], ["interrupted", false], body.reason);
  assert.match(body.reason, /was taken away: [^ ]*\/\.vscode[.:]/);
});

test("what a person changes between runs, or beside a read-only one, stays", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  for (const name of FILES) put(s.workspace, name, "first");
  assert.equal((await s.propose("echo x > a")).body.reason, undefined);
  for (const name of FILES) replace(s.workspace, name, "second");
  const reading = s.propose("sleep 1", { jail: "read-only" });
  await eventually(async () => (await s.call("/api/v1/state")).body.running === 1);
  for (const name of FILES) replace(s.workspace, name, "third");
  put(s.workspace, "later/.envrc", "fourth");
  assert.equal((await reading).body.reason, undefined);
  assert.equal((await s.propose("echo x > a")).body.reason, undefined);
  for (const name of FILES) assert.equal(readFileSync(join(s.workspace, name), "utf8"), "third");
  assert.equal(readFileSync(join(s.workspace, "later/.envrc"), "utf8"), "fourth");
});

test("a write that was approved stays, whichever other run ends first", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  for (const name of [".envrc", "sub/.mcp.json"]) put(s.workspace, name, "old");
  const long = s.propose(patient("long", "0"));
  await isUp(s, "long");
  const short = s.propose(patient("short", "0"));
  await isUp(s, "short");
  assert.equal((await s.propose("echo new > .envrc; echo new > sub/.mcp.json")).body.reason, undefined);
  for (const [name, run] of [
    ["short", short],
    ["long", long],
  ] as const) {
    put(s.workspace, `go-${name}`, "");
    assert.equal((await run).body.reason, undefined, name);
  }
  for (const name of [".envrc", "sub/.mcp.json"]) assert.equal(readFileSync(join(s.workspace, name), "utf8"), "new\n");
});

test("what is removed while a run goes on is told", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  put(s.workspace, ".envrc", "x");
  const running = s.propose(patient("one", "0"));
  await isUp(s, "one");
  rmSync(join(s.workspace, ".envrc"));
  put(s.workspace, "go-one", "");
  const { code, reason } = (await running).body;
  assert.equal(code, "MOUNT_LOST");
  assert.ok(reason.endsWith(`. What starts code was removed while it ran: ${s.workspace}/.envrc.`), reason);
});

test("what an approved run replaced while another was open is taken away, since either may have written it", async (t) => {
  const s = await jailedHub(t);
  if (!s) return;
  put(s.workspace, ".claude/settings.json", "mine");
  const other = s.propose(patient("other", "0"));
  await isUp(s, "other");
  const command = "mv .claude moved; mkdir .claude; echo either > .claude/settings.json";
  const { body } = await s.propose(command);
  assert.equal(body.exitCode, 0, JSON.stringify(body));
  assert.equal(existsSync(join(s.workspace, ".claude")), false);
  assert.match(body.reason, /^What starts code was changed while it ran.*taken away: [^ ]*\/\.claude\. /);
  assert.deepEqual([(await other).body.kind, existsSync(join(s.workspace, ".claude"))], ["interrupted", false]);
  rmSync(join(s.workspace, "moved"), { recursive: true });
  put(s.workspace, ".claude/settings.json", "mine");
  assert.equal((await s.propose(command)).body.reason, undefined);
  assert.equal(readFileSync(join(s.workspace, ".claude/settings.json"), "utf8"), "either\n");
});
