import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import koffi from "koffi";
import { type Answer, eventually, type Serving, startServing } from "../support/serve-fixture.ts";

const OPEN = { security: "full", ask: "off", timeoutMs: 600_000 };

/** Tells that it runs, and goes on once it is told to, or after a while: long after a run whose code was swapped has been killed. */
const WAITS = "touch started; for i in $(seq 500); do [ -e go ] && break; sleep 0.01; done";

const APPROVED = "#!/bin/sh\necho approved\n";
const STOLEN = "#!/bin/sh\ntouch stolen\n";

interface Swap {
  readonly name: string;
  readonly command: string;
  /** Beneath the workspace: what the reason names. */
  readonly lost: string;
  prepare(workspace: string): void;
  swap(workspace: string): void;
}

const SWAPS: readonly Swap[] = [
  {
    name: "a script that another file is renamed over",
    command: "./s.sh",
    lost: "s.sh",
    prepare: (at) => put(join(at, "s.sh"), APPROVED),
    swap: (at) => replace(join(at, "s.sh"), STOLEN),
  },
  {
    name: "a script that is removed and made anew",
    command: "./s.sh",
    lost: "s.sh",
    prepare: (at) => put(join(at, "s.sh"), APPROVED),
    swap: (at) => {
      unlinkSync(join(at, "s.sh"));
      put(join(at, "s.sh"), STOLEN);
    },
  },
  {
    // Its inode stays: only the list of mounts tells.
    name: "a script with a second name that is removed and made anew",
    command: "./s.sh",
    lost: "s.sh",
    prepare: (at) => {
      put(join(at, "s.sh"), APPROVED);
      linkSync(join(at, "s.sh"), join(at, "second.sh"));
    },
    swap: (at) => {
      unlinkSync(join(at, "s.sh"));
      put(join(at, "s.sh"), STOLEN);
    },
  },
  {
    name: "a script that is renamed away and made anew",
    command: "bash s.sh",
    lost: "s.sh",
    prepare: (at) => put(join(at, "s.sh"), APPROVED),
    swap: (at) => {
      renameSync(join(at, "s.sh"), join(at, "old.sh"));
      put(join(at, "s.sh"), STOLEN);
    },
  },
  {
    name: "a script that is exchanged with another, and back",
    command: "./s.sh",
    lost: "s.sh",
    prepare: (at) => {
      put(join(at, "s.sh"), APPROVED);
      put(join(at, "t.sh"), STOLEN);
    },
    swap: (at) => {
      exchange(join(at, "s.sh"), join(at, "t.sh"));
      exchange(join(at, "s.sh"), join(at, "t.sh"));
    },
  },
  {
    name: "package.json of npm test",
    command: "npm test",
    lost: "package.json",
    prepare: (at) => put(join(at, "package.json"), JSON.stringify({ scripts: { test: "echo approved" } })),
    swap: (at) => replace(join(at, "package.json"), JSON.stringify({ scripts: { test: "touch stolen" } })),
  },
  {
    name: "a Makefile",
    command: "make",
    lost: "Makefile",
    prepare: (at) => put(join(at, "Makefile"), "all:\n\techo approved\n"),
    swap: (at) => replace(join(at, "Makefile"), "all:\n\ttouch stolen\n"),
  },
  {
    name: "a script whose parent's parent is moved",
    command: "bash a/b/s.sh",
    lost: "a",
    prepare: (at) => {
      mkdirSync(join(at, "a/b"), { recursive: true });
      put(join(at, "a/b/s.sh"), APPROVED);
    },
    swap: (at) => {
      renameSync(join(at, "a"), join(at, "old"));
      mkdirSync(join(at, "a/b"), { recursive: true });
      put(join(at, "a/b/s.sh"), STOLEN);
    },
  },
  {
    name: "a script behind a link to its directory",
    command: "bash linked/s.sh",
    lost: "linked",
    prepare: (at) => {
      for (const dir of ["real", "false"]) mkdirSync(join(at, dir));
      put(join(at, "real/s.sh"), APPROVED);
      put(join(at, "false/s.sh"), STOLEN);
      symlinkSync("real", join(at, "linked"));
    },
    swap: (at) => {
      symlinkSync("false", join(at, "new"));
      renameSync(join(at, "new"), join(at, "linked"));
    },
  },
  {
    name: "a link to a script elsewhere",
    command: "bash s.sh",
    lost: "s.sh",
    prepare: (at) => symlinkSync("/etc/profile", join(at, "s.sh")),
    swap: (at) => replace(join(at, "s.sh"), STOLEN),
  },
  {
    name: "a program too large for a copy that is replaced",
    command: "./tool",
    lost: "tool",
    prepare: (at) => put(join(at, "tool"), `${APPROVED}exit\n${"#".repeat(17 * 1024 ** 2)}`),
    swap: (at) => replace(join(at, "tool"), STOLEN),
  },
  {
    name: "a program too large for a copy that is written to",
    command: "./tool",
    lost: "tool",
    prepare: (at) => put(join(at, "tool"), `${APPROVED}exit\n${"#".repeat(17 * 1024 ** 2)}`),
    swap: (at) => writeFileSync(join(at, "tool"), STOLEN),
  },
  {
    name: "a secret that is replaced",
    command: "cat .env > stolen",
    lost: ".env",
    prepare: (at) => put(join(at, ".env"), "TOKEN=1\n"),
    swap: (at) => replace(join(at, ".env"), "TOKEN=2\n"),
  },
  {
    name: "an editor's settings that are replaced",
    command: "touch stolen",
    lost: ".vscode",
    prepare: (at) => {
      mkdirSync(join(at, ".vscode"));
      put(join(at, ".vscode/tasks.json"), "{}");
    },
    swap: (at) => {
      renameSync(join(at, ".vscode"), join(at, "old"));
      mkdirSync(join(at, ".vscode"));
    },
  },
];

for (const { name, command, lost, prepare, swap } of SWAPS) {
  test(`hub interrupts a run when the host swaps ${name}`, async (t) => {
    const s = await jailedHub(t, OPEN);
    if (!s) return;
    prepare(s.workspace);
    const running = s.propose(`${WAITS}; ${command}`);
    await startedIn(s);
    swap(s.workspace);
    const { body } = await running;
    assertInterrupted(s, body, lost);
    assert.ok(!existsSync(join(s.workspace, "stolen")));
    await assertOnRecord(s, body);
  });
}

test("hub interrupts a run when another run swaps its script", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  put(join(s.workspace, "s.sh"), APPROVED);
  put(join(s.workspace, "t.sh"), STOLEN);
  const running = s.propose(`${WAITS}; ./s.sh`);
  await startedIn(s);
  assert.equal((await s.propose("mv t.sh s.sh")).body.exitCode, 0);
  assertInterrupted(s, (await running).body, "s.sh");
  assert.ok(!existsSync(join(s.workspace, "stolen")));
});

test("hub interrupts a run that an entry with a code hash allowed", async (t) => {
  const s = await jailedHub(t, { ask: "on-miss", timeoutMs: 600_000 });
  if (!s) return;
  put(join(s.workspace, "s.sh"), APPROVED);
  const command = "touch started; sleep 5; ./s.sh";
  const first = s.propose(command);
  const { approvalId } = await s.asked();
  const answered = await s.decide(approvalId, "allow-always", { scope: "exact@forever" });
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  assert.deepEqual(outputOf((await first).body), ["exited", 0, "approved\n"]);
  unlinkSync(join(s.workspace, "started"));
  const running = s.propose(command);
  await startedIn(s);
  replace(join(s.workspace, "s.sh"), STOLEN);
  const { body } = await running;
  assertInterrupted(s, body, "s.sh");
  assert.equal(body.by, "entry");
  assert.ok(!existsSync(join(s.workspace, "stolen")));
});

test("hub interrupts a read-only run when a hidden secret is replaced", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  put(join(s.workspace, ".env"), "TOKEN=1\n");
  const running = s.propose("sleep 5; cat .env", { jail: "read-only" });
  await eventually(async () => (await s.call("/api/v1/state")).body.running > 0);
  // It is counted as running before its jail is built: what is replaced by then is hidden as well.
  const replacing = setInterval(() => replace(join(s.workspace, ".env"), "TOKEN=2\n"), 50);
  const { body } = await running.finally(() => clearInterval(replacing));
  assertInterrupted(s, body, ".env");
  assert.doesNotMatch(body.stdout, /TOKEN/);
});

test("hub ends normal runs as they end, however short and many", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  put(join(s.workspace, "s.sh"), APPROVED);
  put(join(s.workspace, ".env"), "TOKEN=1\n");
  for (let round = 0; round < 10; round += 1) {
    const ended: Answer[] = await Promise.all(["./s.sh", "sh s.sh", "./s.sh", ". ./s.sh"].map((one) => s.propose(one)));
    for (const { body } of ended) assert.deepEqual(outputOf(body), ["exited", 0, "approved\n"]);
    assert.deepEqual(outputOf((await s.propose("true", { jail: "read-only" })).body), ["exited", 0, ""]);
  }
});

test("hub ends a run normally that renames, replaces and removes ordinary files", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  const script = [
    "for i in $(seq 300); do echo $i > f.tmp; mv f.tmp f; mkdir -p d/e; mv d g; rm -r g; done",
    "chmod -R u+w . 2> /dev/null; touch s.sh.old; ln f h; mv h k; unshare -rm true 2> /dev/null",
    "echo approved",
  ].join("\n");
  put(join(s.workspace, "s.sh"), script);
  const { body } = await s.propose("bash s.sh");
  assert.deepEqual(outputOf(body), ["exited", 0, "approved\n"], JSON.stringify(body));
});

test("hub ends a run normally when the host renames and writes what it doesn't hold", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  put(join(s.workspace, "s.sh"), APPROVED);
  put(join(s.workspace, ".env"), "TOKEN=1\n");
  const running = s.propose(`${WAITS}; ./s.sh`);
  await startedIn(s);
  for (let round = 0; round < 200; round += 1) replace(join(s.workspace, "other"), `${round}`);
  // In place: the jail has a copy of it.
  writeFileSync(join(s.workspace, "s.sh"), STOLEN);
  chmodSync(s.workspace, 0o755);
  writeFileSync(join(s.workspace, "go"), "");
  assert.deepEqual(outputOf((await running).body), ["exited", 0, "approved\n"]);
});

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailedHub(t: TestContext, profile: object): Promise<Serving | undefined> {
  const s = await startServing(t, { profile });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return s;
  t.skip(problem);
  return undefined;
}

async function startedIn({ workspace }: Serving): Promise<void> {
  await eventually(() => existsSync(join(workspace, "started")));
}

function assertInterrupted({ workspace }: Serving, body: Answer["body"], lost: string): void {
  assert.deepEqual([body.kind, body.code], ["interrupted", "MOUNT_LOST"], JSON.stringify(body));
  assert.ok(body.reason.startsWith(`${join(workspace, lost)} `), body.reason);
}

/** The receipt of its end says what was lost. */
async function assertOnRecord(s: Serving, { receipt, reason }: Answer["body"]): Promise<void> {
  const all: Answer["body"][] = (await s.call("/api/v1/receipts?limit=100")).body;
  const { issuer, credentialSubject } = all.find(({ hash }) => hash === receipt).receipt;
  const { kind, code, reason: why } = issuer.runtime.outcome;
  assert.deepEqual([kind, code, why], ["interrupted", "MOUNT_LOST", reason]);
  assert.deepEqual(credentialSubject.outcome, { status: "failure", error: "interrupted" });
}

function outputOf({ kind, exitCode, stdout }: Answer["body"]): unknown[] {
  return [kind, exitCode, stdout];
}

/** As an editor saves a file: another one takes its name. */
function replace(path: string, content: string): void {
  put(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

function put(path: string, content: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o755 });
}

const RENAMEAT2 = process.arch === "arm64" ? 276 : 316;
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const renameat2 = koffi
  .load(null)
  .func("long syscall(long number, int from, const char *path, int to, const char *other, uint flags)");

function exchange(path: string, other: string): void {
  assert.equal(renameat2(RENAMEAT2, AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE), 0);
}
