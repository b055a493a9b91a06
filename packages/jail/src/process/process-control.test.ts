import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { eventually, sleeper } from "../../../hub/test/support/serve-fixture.ts";
import { type Launcher, launchers, type Wanted } from "../../test/support/launchers.ts";
import { RunOutput } from "./run-output.ts";
import { type ProcessResult, startProcess } from "./start-process.ts";
import { Withdrawal } from "./withdrawal.ts";

const TIMEOUT_MS = 3_600_000;
const GRACE_MS = 2_000;
const { dir, all } = launchers();

interface Run {
  readonly result: Promise<ProcessResult>;
  readonly output: RunOutput;
  readonly clock: FakeClock;
  readonly withdrawal: Withdrawal;
  /** Resolves once it has said this. */
  said(text: string): Promise<unknown>;
}

/** What is claimed holds for a command in a jail and for one without. */
function both(
  name: string,
  claim: (t: TestContext, start: (wanted: string | Wanted) => Promise<Run>) => Promise<void>,
) {
  for (const launcher of all) {
    test(`${launcher.name}: ${name}`, async (t) => {
      const why = launcher.why();
      if (why !== undefined) return t.skip(why);
      await claim(t, (wanted) => start(t, launcher, typeof wanted === "string" ? { command: wanted } : wanted));
    });
  }
}

async function start(t: TestContext, launcher: Launcher, wanted: Wanted): Promise<Run> {
  const { launch, finish } = await launcher.make(wanted);
  const [clock, withdrawal, output] = [new FakeClock(), new Withdrawal(), new RunOutput(1024 * 1024)];
  const plan = { launch, timeoutMs: TIMEOUT_MS, killGraceMs: GRACE_MS, maxOutputBytes: 1024 * 1024, output };
  const result = startProcess(plan, clock, withdrawal).finally(finish);
  t.after(async () => {
    withdrawal.withdraw("the test is over");
    await result;
  });
  return {
    result,
    output,
    clock,
    withdrawal,
    said: (text) => eventually(() => output.toText("stdout").includes(text)),
  };
}

/** Lets a run that needs time to end have it, in such steps. */
async function timePasses({ result, clock }: Run, stepMs: number): Promise<void> {
  let over = false;
  result.finally(() => {
    over = true;
  });
  while (!over) {
    clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

both("one shell gets the command as it is, with no input, in a session of its own", async (_, begin) => {
  const quoted = `printf '%s|' "a b" 'c"d' '$x' "$(printf '%s' "e'f")" \\; $#; cat; read -r x; echo "$?"`;
  const { end, stdout } = await (await begin(quoted)).result;
  assert.deepEqual([end, stdout], [{ kind: "exited", exitCode: 0 }, `a b|c"d|$x|e'f|;|0|1\n`]);
  const session = await (await begin("readlink /proc/$$/fd/0; cut -d' ' -f6 /proc/$$/stat; ps -o sid= -p $$")).result;
  const [input, sid] = session.stdout.split("\n");
  const ours = readFileSync("/proc/self/stat", "utf8").split(" ")[5];
  assert.equal(input, "/dev/null");
  assert.notEqual(sid, ours);
});

both("at the timeout everyone in the group gets TERM, and time to end by it", async (_, begin) => {
  const child = `bash -c 'trap "echo child; exit" TERM; echo up; while :; do sleep 0.01; done' &`;
  const run = await begin(`trap 'wait; echo shell; exit 3' TERM; ${child} while :; do sleep 0.01; done`);
  await run.said("up");
  run.clock.advance(TIMEOUT_MS);
  const { end, stdout } = await run.result;
  assert.deepEqual([end, stdout], [{ kind: "timed-out" }, "up\nchild\nshell\n"]);
});

both("who ignores TERM gets KILL after the grace and not before, with all of its children", async (_, begin) => {
  const { command, pids } = sleeper();
  const run = await begin(`trap '' TERM; ${command} & echo up; while :; do sleep 0.01; done`);
  await run.said("up");
  await eventually(() => pids().length === 1);
  run.clock.advance(TIMEOUT_MS);
  run.clock.advance(GRACE_MS - 1);
  assert.equal(pids().length, 1);
  run.clock.advance(1);
  assert.deepEqual((await run.result).end, { kind: "timed-out" });
  await eventually(() => pids().length === 0);
});

both("who is stopped is killed all the same", async (_, begin) => {
  const { command, pids } = sleeper();
  const run = await begin(`${command} & echo up; kill -STOP $!; kill -STOP $$; echo never`);
  await run.said("up");
  run.clock.advance(TIMEOUT_MS);
  run.clock.advance(GRACE_MS);
  const { end, stdout } = await run.result;
  assert.deepEqual([end, stdout], [{ kind: "timed-out" }, "up\n"]);
  await eventually(() => pids().length === 0);
});

both("a withdrawn one is killed at once: no TERM, no grace, no children left", async (_, begin) => {
  const { command, pids } = sleeper();
  const run = await begin(`trap 'echo trapped' TERM; ${command} & echo up; while :; do sleep 0.01; done`);
  await run.said("up");
  await eventually(() => pids().length === 1);
  run.withdrawal.withdraw("enough");
  const { end, stdout } = await run.result;
  assert.deepEqual([end, stdout], [{ kind: "aborted" }, "up\n"]);
  await eventually(() => pids().length === 0);
});

both("one that is withdrawn in the grace of its timeout is killed at once, and has timed out", async (_, begin) => {
  const run = await begin("trap '' TERM; echo up; while :; do sleep 0.01; done");
  await run.said("up");
  run.clock.advance(TIMEOUT_MS);
  run.withdrawal.withdraw("enough");
  assert.deepEqual((await run.result).end, { kind: "timed-out" });
});

both("what is stopped before it is up leaves nothing", async (_, begin) => {
  const { command, pids } = sleeper();
  for (const how of ["timeout", "withdrawal"] as const) {
    const run = await begin(command);
    if (how === "withdrawal") run.withdrawal.withdraw("never mind");
    else await timePasses(run, TIMEOUT_MS);
    const { end, stdout, stderr } = await run.result;
    assert.deepEqual([end.kind, stdout, stderr], [how === "timeout" ? "timed-out" : "aborted", "", ""]);
    await eventually(() => pids().length === 0);
  }
});

both(
  "who holds the output open after the shell has ended delays the answer by the grace and no more",
  async (_, begin) => {
    const { command, pids } = sleeper();
    const run = await begin(`${command} & echo up`);
    await run.said("up");
    await timePasses(run, GRACE_MS / 20);
    const { end, stdout } = await run.result;
    assert.deepEqual([end, stdout], [{ kind: "exited", exitCode: 0 }, "up\n"]);
    await eventually(() => pids().length === 0);
  },
);

both("who writes on and on after the shell has ended doesn't delay it either", async (_, begin) => {
  const run = await begin("yes & echo up");
  await run.said("up");
  await timePasses(run, GRACE_MS / 20);
  assert.deepEqual((await run.result).end, { kind: "exited", exitCode: 0 });
});

both("a command that closes its output is waited for", async (_, begin) => {
  const { end, stdout, stderr } = await (await begin("echo before; exec >&- 2>&-; sleep 0.05; echo after; exit 4"))
    .result;
  assert.deepEqual([end, stdout, stderr], [{ kind: "exited", exitCode: 4 }, "before\n", ""]);
});

both("binary output becomes text of the same order, and nothing breaks", async (_, begin) => {
  const run = await begin("head -c 300000 /dev/urandom; echo; head -c 4096 /dev/zero; printf 'end\\303'");
  const { end, stdout, truncated } = await run.result;
  assert.deepEqual([end, truncated], [{ kind: "exited", exitCode: 0 }, false]);
  assert.ok(stdout.isWellFormed());
  assert.ok(stdout.endsWith(`\n${"\0".repeat(4096)}end\ufffd`));
});

both("an endless producer costs bounded memory and ends at its timeout", async (t, begin) => {
  for (const producer of ["yes", "cat /dev/zero", "cat /dev/urandom"]) {
    const before = process.memoryUsage().rss;
    const run = await begin(producer);
    // Enough to have gone round many times.
    await eventually(() => /\[… (\d{8,}) bytes left out/.test(run.output.toText("stdout")));
    run.clock.advance(TIMEOUT_MS);
    const { end, stdout, truncated } = await run.result;
    assert.deepEqual([end, truncated], [{ kind: "timed-out" }, true], producer);
    assert.ok(Buffer.byteLength(stdout) <= 1024 * 1024 + 100);
    const grown = process.memoryUsage().rss - before;
    t.diagnostic(`${producer}: ${Math.round(grown / 1e6)} MB more`);
    assert.ok(grown < 150_000_000, `${producer}: ${grown} bytes more`);
  }
});

both("too long a command isn't started, and says so", async (_, begin) => {
  const { end } = await (await begin(`true ${"x".repeat(128 * 1024)}`)).result;
  assert.equal(end.kind, "not-started");
  assert.match("reason" in end ? end.reason : "", /too long for this system$/);
});

both("without a bash nothing runs, and it says so", async (_, begin) => {
  const { end, stdout } = await (await begin({ command: "true", shell: join(dir, "no-bash") })).result;
  assert.match(end.kind, /^(not-started|jail-refused)$/);
  assert.match("reason" in end ? end.reason : "", /No such file|ENOENT/);
  assert.equal(stdout, "");
});

both("signals and codes", async ({ name: which }, begin) => {
  // bwrap tells a signal by a code.
  const killedBy = (signal: NodeJS.Signals): ProcessResult["end"] =>
    which.startsWith("jailed")
      ? { kind: "exited", exitCode: 128 + constants.signals[signal] }
      : { kind: "signalled", signal };
  const table: [string, ProcessResult["end"]][] = [
    ["exit 42", { kind: "exited", exitCode: 42 }],
    ["exit 256", { kind: "exited", exitCode: 0 }],
    ["kill -USR1 $$; sleep 5", killedBy("SIGUSR1")],
    ["kill -KILL $$", killedBy("SIGKILL")],
    ["exit 130", { kind: "exited", exitCode: 130 }],
    ["exit 255", { kind: "exited", exitCode: 255 }],
  ];
  for (const [command, end] of table) assert.deepEqual((await (await begin(command)).result).end, end, command);
});

const jailed = all.find(({ name }) => name === "jailed") as Launcher;

test("jailed: a daemon that left its session and its group ends with its run", async (t) => {
  const why = jailed.why();
  if (why !== undefined) return t.skip(why);
  const { command, pids } = sleeper();
  const daemon = `(setsid setsid ${command} </dev/null >/dev/null 2>&1 &)`;
  const run = await start(t, jailed, { command: `${daemon}; echo up; while [ ! -e go ]; do sleep 0.01; done` });
  await run.said("up");
  await eventually(() => pids().length === 1);
  run.withdrawal.withdraw("enough");
  assert.deepEqual((await run.result).end, { kind: "aborted" });
  await eventually(() => pids().length === 0);
});

test("jailed: when bwrap itself is killed, it isn't told that nothing ran", async (t) => {
  const why = jailed.why();
  if (why !== undefined) return t.skip(why);
  const { command, pids } = sleeper();
  const run = await start(t, jailed, { command: `echo up; ${command}` });
  await run.said("up");
  for (const pid of children(process.pid)) process.kill(pid, "SIGKILL");
  const { end, stdout } = await run.result;
  assert.deepEqual([end, stdout], [{ kind: "signalled", signal: "SIGKILL" }, "up\n"]);
  await eventually(() => pids().length === 0);
});

test("unjailed: a directory that isn't there, or isn't one, is said", async (t) => {
  const unjailed = all.find(({ name }) => name === "unjailed") as Launcher;
  for (const [cwd, why] of [
    [join(dir, "gone"), /ENOENT/],
    ["/etc/passwd", /ENOTDIR/],
  ] as const) {
    const { end } = await (await start(t, unjailed, { command: "true", cwd })).result;
    assert.match("reason" in end ? end.reason : end.kind, why);
  }
});

function children(parent: number): number[] {
  const found: number[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, after = ""] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (Number(after.split(" ")[1]) === parent && words.includes("bwrap")) found.push(Number(pid));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}
