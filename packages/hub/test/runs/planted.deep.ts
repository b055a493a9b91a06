import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { childScript } from "../programs/child-script.ts";
import { type Answer, type Call, eventually, type Scratch, scratch, send, TOKEN } from "../support/serve-fixture.ts";

const ROUNDS = 40;
const KILLS = 10;
const RUN_MS = 400;

const OPEN = { security: "full", ask: "off" };

const FILES = [
  ...[".envrc", ".vscode/tasks.json", ".husky/pre-commit", ".mcp.json", ".git/config", ".git/hooks/pre-commit"],
  ...[".claude/settings.json", "sub/.envrc", "sub/.vscode/tasks.json"],
];

/** Writes to all of them again and again, whatever refuses it. Its words name nothing that starts code. */
const EVIL = `
const f = require("fs"), path = require("path");
const names = JSON.parse(Buffer.from(process.argv[1], "base64"));
const attempt = (work) => { try { work(); } catch {} };
f.writeFileSync(process.argv[2], "");
for (const until = Date.now() + ${RUN_MS}; Date.now() < until; )
  for (const name of names) {
    attempt(() => f.mkdirSync(path.dirname(name), { recursive: true }));
    attempt(() => f.writeFileSync(name, "evil"));
    attempt(() => { f.writeFileSync("made", "evil"); f.renameSync("made", name); });
  }`;

const evil = (up: string) =>
  `node -e "$(echo ${Buffer.from(EVIL).toString("base64")} | base64 -d)" ${Buffer.from(JSON.stringify(FILES)).toString("base64")} ${up}`;

interface Child {
  readonly process: ChildProcess;
  call(path: string, call?: Call): Promise<Answer>;
  propose(command: string): Promise<Answer>;
}

async function startChild(t: TestContext, place: Scratch): Promise<Child> {
  const child = spawn(process.execPath, [childScript("serve"), place.homeDir, place.workspace], {
    env: { ...process.env, COUNTERSIGN_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const { url, message } = JSON.parse(line);
  assert.ok(url, message);
  const call = (path: string, how: Call = {}) => send(new URL(path, url), how);
  return {
    ...{ process: child, call },
    propose: (command) => call("/api/v1/exec", { method: "POST", body: { command } }),
  };
}

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailed(t: TestContext): Promise<{ place: Scratch; hub: Child } | undefined> {
  const place = scratch(t, OPEN);
  const hub = await startChild(t, place);
  const { warnings } = (await hub.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return { place, hub };
  t.skip(problem);
  return undefined;
}

test("no run leaves what it wrote where the host saves files at any moment", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    prepare(s.place);
    const running = s.hub.propose(evil("up"));
    await eventually(() => existsSync(join(s.place.workspace, "up")));
    for (let saves = 0; saves < 6; saves += 1) {
      await sleep(Math.random() * 50);
      save(s.place, FILES[Math.floor(Math.random() * FILES.length)] as string);
    }
    assertNothingEvil(s.place, (await running).body);
  }
});

test("of two runs neither leaves what it wrote where the other moves and removes", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    prepare(s.place);
    const running = s.hub.propose(evil("up"));
    await eventually(() => existsSync(join(s.place.workspace, "up")));
    const [name = ""] = (FILES[round % FILES.length] as string).split("/");
    const removes = round % 2 === 0 ? `rm -r ${name}` : `mv ${name} moved; mkdir ${name}`;
    const bodies = [(await s.hub.propose(removes)).body, (await s.hub.propose(evil("up-too"))).body];
    assertNothingEvil(s.place, [...bodies, (await running).body]);
  }
});

test("what the runs of a killed hub wrote is gone after the next start, and a person's edit stays", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  let { hub } = s;
  for (let round = 0; round < KILLS; round += 1) {
    prepare(s.place);
    const running = hub.propose(evil("up")).catch(() => undefined);
    await eventually(() => existsSync(join(s.place.workspace, "up")));
    for (const name of FILES) if (Math.random() < 0.5) save(s.place, name);
    await sleep(Math.random() * RUN_MS);
    const exit = once(hub.process, "exit");
    hub.process.kill("SIGKILL");
    await Promise.all([exit, running]);
    hub = await startChild(t, s.place);
    assertNothingEvil(s.place, "after the restart");
    prepare(s.place);
    assert.equal((await hub.propose("echo x > a")).body.reason, undefined);
    for (const name of FILES) assert.equal(readFileSync(join(s.place.workspace, name), "utf8"), "mine\n");
  }
});

/** A person's own, while no run is open. */
function prepare({ workspace }: Scratch): void {
  for (const name of ["up", "up-too", "moved", "made", ...FILES]) {
    rmSync(join(workspace, name.split("/")[0] ?? ""), { recursive: true, force: true });
  }
  for (const name of FILES) put(workspace, name, "mine\n");
}

/** As editors do, or as a tool that writes a directory anew. */
function save({ workspace }: Scratch, name: string): void {
  const [first = ""] = name.split("/");
  const whole = Math.random() < 0.5;
  const from = whole ? name.replace(first, "renewed") : `${name}.new`;
  try {
    put(workspace, from, "mine\n");
    if (!whole) return renameSync(join(workspace, from), join(workspace, name));
    rmSync(join(workspace, first), { recursive: true, force: true });
    renameSync(join(workspace, "renewed"), join(workspace, first));
  } catch (cause) {
    // What runs was faster.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR"].includes((cause as NodeJS.ErrnoException).code ?? ""))
      throw cause;
  }
  rmSync(join(workspace, "renewed"), { recursive: true, force: true });
}

function put(workspace: string, name: string, text: string): void {
  mkdirSync(dirname(join(workspace, name)), { recursive: true });
  writeFileSync(join(workspace, name), text);
}

function assertNothingEvil({ workspace }: Scratch, about: unknown): void {
  for (const name of FILES) {
    const path = join(workspace, name);
    const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile();
    assert.ok(!isFile || readFileSync(path, "utf8") !== "evil", `${name}: ${JSON.stringify(about)}`);
  }
}
