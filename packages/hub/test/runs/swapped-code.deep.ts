import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, eventually, type Serving, startServing } from "../support/serve-fixture.ts";

const ROUNDS = 200;

/** A command takes about this long from its proposal to its end. */
const MOST_WAIT_MS = 120;

const APPROVED = "#!/bin/sh\necho approved\n";
const STOLEN = "#!/bin/sh\ntouch stolen\n";

interface Swap {
  readonly name: string;
  readonly command: string;
  prepare(workspace: string): void;
  swap(workspace: string): void;
}

const SWAPS: readonly Swap[] = [
  {
    name: "a script",
    command: "touch started; sleep 0.02; ./s.sh",
    prepare: (at) => put(join(at, "s.sh"), APPROVED),
    swap: (at) => replace(join(at, "s.sh"), STOLEN),
  },
  {
    name: "a script that a daemon starts",
    command: "touch started; setsid sh -c '(sleep 0.02; exec ./s.sh) &' < /dev/null; sleep 0.03; ./s.sh",
    prepare: (at) => put(join(at, "s.sh"), APPROVED),
    swap: (at) => replace(join(at, "s.sh"), STOLEN),
  },
  {
    name: "a script's directory",
    command: "touch started; sleep 0.02; sh a/b/s.sh",
    prepare: (at) => put(join(at, "a/b/s.sh"), APPROVED),
    swap: (at) => {
      renameSync(join(at, "a"), join(at, "old"));
      put(join(at, "a/b/s.sh"), STOLEN);
    },
  },
  {
    name: "a link to a script's directory",
    command: "touch started; sleep 0.02; sh linked/s.sh",
    prepare: (at) => {
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
    name: "a Makefile",
    command: "touch started; sleep 0.02; make",
    prepare: (at) => put(join(at, "Makefile"), "all:\n\t@echo approved\n"),
    swap: (at) => replace(join(at, "Makefile"), "all:\n\t@touch stolen\n"),
  },
  {
    name: "package.json",
    command: "touch started; npm test --silent",
    prepare: (at) => put(join(at, "package.json"), JSON.stringify({ scripts: { test: "echo approved" } })),
    swap: (at) => replace(join(at, "package.json"), JSON.stringify({ scripts: { test: "touch stolen" } })),
  },
];

for (const swap of SWAPS) {
  test(`hub never records a normal end when ${swap.name} is swapped at any moment and ran`, async (t) => {
    const s = await startServing(t, { profile: { ask: "on-miss", timeoutMs: 600_000 } });
    const { warnings } = (await s.call("/api/v1/state")).body;
    const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
    if (problem !== undefined) return t.skip(problem);
    clean(s);
    swap.prepare(s.workspace);
    const first = s.propose(swap.command);
    const { approvalId } = await s.asked();
    const answered = await s.decide(approvalId, "allow-always", { scope: "exact@forever" });
    assert.equal(answered.status, 200, JSON.stringify(answered.body));
    assert.match((await first).body.stdout, /^approved\n/);
    const counts = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      clean(s);
      swap.prepare(s.workspace);
      const { body } = await swapped(s, swap, round % 2 === 0);
      const ran = existsSync(join(s.workspace, "stolen"));
      const end = `${body.kind}${body.code === undefined ? "" : ` ${body.code}`}${ran ? ", and the new one ran" : ""}`;
      counts.set(end, (counts.get(end) ?? 0) + 1);
      if (ran) assert.deepEqual([body.kind, body.code], ["interrupted", "MOUNT_LOST"], JSON.stringify(body));
      if (body.kind === "exited") assert.match(body.stdout, /^(approved\n)+$/);
    }
    t.diagnostic(`${swap.name}: ${JSON.stringify(Object.fromEntries(counts))}`);
  });
}

/** After the start, or anywhere between the proposal and its end. */
async function swapped(s: Serving, { command, swap }: Swap, isStarted: boolean): Promise<Answer> {
  let isOver = false;
  const running = s.propose(command).finally(() => {
    isOver = true;
  });
  if (isStarted) await eventually(() => isOver || existsSync(join(s.workspace, "started")));
  await sleep(Math.random() * (isStarted ? 40 : MOST_WAIT_MS));
  swap(s.workspace);
  while (!isOver) {
    // Swapped before the look at the code: that isn't what the entry is about.
    const [asked] = (await s.call("/api/v1/approvals?limit=1")).body;
    if (asked) await s.decide(asked.id ?? asked.approvalId, "deny");
    await sleep(5);
  }
  return await running;
}

function clean({ workspace }: Serving): void {
  for (const name of ["s.sh", "a", "old", "real", "false", "linked", "Makefile", "package.json", "started", "stolen"]) {
    rmSync(join(workspace, name), { recursive: true, force: true });
  }
}

function replace(path: string, content: string): void {
  put(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o755 });
}
