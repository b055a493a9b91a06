import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Clock, systemClock } from "@countersign/core/base";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { unjailed } from "./launch.ts";
import { type ProcessPlan, type ProcessResult, startProcess } from "./start-process.ts";
import { Withdrawal } from "./withdrawal.ts";

const ENV: Record<string, string> = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" };
const SHELL = { shell: "/bin/bash", cwd: "/", env: ENV };
const PLAN: Omit<ProcessPlan, "launch"> = {
  timeoutMs: 10_000,
  killGraceMs: 5_000,
  maxOutputBytes: 1024 * 1024,
};

interface Start {
  readonly plan?: Partial<typeof SHELL & typeof PLAN & { readonly command: string }>;
  readonly clock?: Clock;
  readonly withdrawal?: Withdrawal;
}

function start(
  command: string,
  { plan, clock = systemClock, withdrawal = new Withdrawal() }: Start = {},
): Promise<ProcessResult> {
  const { shell, ...rest } = { ...SHELL, command, ...plan };
  return startProcess({ ...PLAN, ...plan, launch: unjailed(shell, rest) }, clock, withdrawal);
}

function scratch(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-run-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Waits for something that another process is about to do. */
async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("it never happened");
}

/** The number that a child wrote there, once the line is whole. */
function pidIn(path: string): Promise<number> {
  return until(() => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    return text.endsWith("\n") && Number(text);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie whose parent hasn't looked yet is dead too.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const gone = (pid: number) => until(() => !isAlive(pid));

test("how a command ended, and what it said on each stream", async () => {
  const nothing = { stdout: "", stderr: "", truncated: false };
  const table: [string, ProcessResult][] = [
    ["true", { ...nothing, end: { kind: "exited", exitCode: 0 } }],
    ["exit 42", { ...nothing, end: { kind: "exited", exitCode: 42 } }],
    ["exit 256", { ...nothing, end: { kind: "exited", exitCode: 0 } }],
    ["kill -USR1 $$", { ...nothing, end: { kind: "signalled", signal: "SIGUSR1" } }],
    ["kill -KILL $$", { ...nothing, end: { kind: "signalled", signal: "SIGKILL" } }],
    [
      "echo out; echo err >&2",
      { end: { kind: "exited", exitCode: 0 }, stdout: "out\n", stderr: "err\n", truncated: false },
    ],
    // No input: reading ends at once, and isn't the hub's own input.
    ["cat; echo $?", { ...nothing, end: { kind: "exited", exitCode: 0 }, stdout: "0\n" }],
    ["pwd; echo $0 $#", { ...nothing, end: { kind: "exited", exitCode: 0 }, stdout: "/\n/bin/bash 0\n" }],
    ["printf 'a\\0b\\xff\\xe2\\x82'", { ...nothing, end: { kind: "exited", exitCode: 0 }, stdout: "a\0b\ufffd\ufffd" }],
  ];
  for (const [command, expected] of table) assert.deepEqual(await start(command), expected, command);
});

test("only the plan's environment and what bash sets itself reach the command; startup files don't", async (t) => {
  const home = scratch(t);
  for (const name of [".bashrc", ".bash_profile", ".profile"])
    writeFileSync(join(home, name), "echo read; export READ=1\n");
  const { stdout } = await start("env | cut -d= -f1 | sort", {
    plan: { env: { ...SHELL.env, HOME: home, ONLY: "x" } },
  });
  const own = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);
  const names = stdout.trim().split("\n");
  assert.deepEqual(
    names.filter((name) => !own.has(name)),
    ["HOME", "LC_ALL", "ONLY", "PATH"],
  );
});

test("a command has a process group and a session of its own", async () => {
  const { stdout } = await start("cut -d' ' -f5,6 /proc/$$/stat; echo $$");
  const [groupAndSession, pid] = stdout.trim().split("\n");
  assert.equal(groupAndSession, `${pid} ${pid}`);
});

test("a withdrawn command is ended with its children, also when it was withdrawn before it started", async (t) => {
  const dir = scratch(t);
  const withdrawal = new Withdrawal();
  const result = start(`sleep 1000 & echo $! > ${dir}/pid; wait`, { withdrawal });
  const pid = await pidIn(`${dir}/pid`);
  withdrawal.withdraw("changed my mind");
  assert.deepEqual((await result).end, { kind: "aborted" });
  await gone(pid);
  assert.deepEqual((await start("sleep 1000", { withdrawal })).end, { kind: "aborted" });
});

test("the first reason to stop is the one that is told", async (t) => {
  const dir = scratch(t);
  const clock = new FakeClock();
  const withdrawal = new Withdrawal();
  const result = start(`trap '' TERM; echo $$ > ${dir}/pid; while :; do sleep 0.01; done`, { clock, withdrawal });
  await pidIn(`${dir}/pid`);
  withdrawal.withdraw("first");
  clock.advance(PLAN.killGraceMs);
  clock.advance(PLAN.timeoutMs);
  assert.deepEqual((await result).end, { kind: "aborted" });
});

test("a background child that closed its output is killed when the command ends", async (t) => {
  const dir = scratch(t);
  const result = await start(`sleep 1000 >/dev/null 2>&1 </dev/null & echo $! > ${dir}/pid`);
  assert.deepEqual(result.end, { kind: "exited", exitCode: 0 });
  await gone(await pidIn(`${dir}/pid`));
});

test("what can't be started says so, and runs nothing", async (t) => {
  const dir = scratch(t);
  const marker = join(dir, "marker");
  const table: [string, Start["plan"] & object, RegExp][] = [
    ["missing shell", { shell: join(dir, "bash") }, /^bash could not be started: .*ENOENT/],
    ["missing cwd", { cwd: join(dir, "gone") }, /^bash could not be started: .*ENOENT/],
    ["cwd is a file", { cwd: "/etc/passwd" }, /^bash could not be started: .*ENOTDIR/],
    ["too long", { command: `touch ${marker} #${"x".repeat(128 * 1024)}` }, /too long for this system$/],
    ["NUL", { command: `touch ${marker}\0` }, /^bash could not be started: /],
  ];
  for (const [name, plan, reason] of table) {
    const { end, ...rest } = await start(`touch ${marker}`, { plan });
    assert.equal(end.kind, "not-started", name);
    assert.match(end.kind === "not-started" ? end.reason : "", reason, name);
    assert.deepEqual(rest, { stdout: "", stderr: "", truncated: false }, name);
  }
  assert.ok(!existsSync(marker));
});

test("of 50 MB of output the head and the tail are kept, up to the cap", async () => {
  const command = "echo first; yes 0123456789abcdef | head -c 50000000; echo; echo last; echo problem >&2";
  const { end, stdout, stderr, truncated } = await start(command, { plan: { maxOutputBytes: 64 * 1024 } });
  assert.deepEqual(
    { end, stderr, truncated },
    { end: { kind: "exited", exitCode: 0 }, stderr: "problem\n", truncated: true },
  );
  const [head = "", omitted, tail = ""] = stdout.split(/\n\[… (\d+) bytes left out …\]\n/);
  assert.match(head, /^first\n(0123456789abcdef\n)+.{0,16}$/);
  assert.match(tail, /^.{0,16}\n(0123456789abcdef\n)+.{0,16}\nlast\n$/);
  assert.equal(head.length + Number(omitted) + tail.length, 50_000_000 + "first\n\nlast\n".length);
});

test("the cut through the output never leaves half of a secret", async () => {
  const key = `sk-ant-${"k".repeat(40)}`;
  for (const secret of [
    key,
    `Bearer ${"t".repeat(60)}`,
    `ANTHROPIC_API_KEY=${"v".repeat(50)}`,
    `ghp_${"g".repeat(36)}`,
  ]) {
    const { stdout } = await start(`for i in {1..400}; do printf '%s ' "$SECRET"; done`, {
      plan: { env: { ...SHELL.env, SECRET: `${secret} x` }, maxOutputBytes: 4_096 },
    });
    assert.doesNotMatch(stdout, /kk|tt|vv|gg/, secret.slice(0, 7));
  }
});
