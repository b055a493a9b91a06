import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { jailUser, runInJail, whyNoJail } from "../../test/support/small-jail.ts";
import { findHierarchies } from "../process/hierarchies.ts";
import { limitArguments } from "./limit-arguments.ts";
import { type LimitedRun, RunLimiter } from "./run-limiter.ts";

/** Small, since the machine is shared: nothing here takes more than these, also when a limit fails. */
const LIMITS = { memoryBytes: 64 * 1024 ** 2, processes: 50, fileBytes: 1024 ** 2, cpuSeconds: 1 };
const MEBIBYTES_TRIED = 128;
const FORKS_TRIED = 200;

const noJail = whyNoJail();
const limiter = new RunLimiter(LIMITS);
after(() => limiter.close());
const unheld = limiter.notEnforced.map(({ limit, why }) => `${limit}: ${why}`).join("; ");
const noGroups = noJail || (unheld !== "" && `run as root, or in a delegated control group (${unheld})`);

const FORKS = `
import os, time
started = 0
try:
    while started < ${FORKS_TRIED}:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        started += 1
except OSError as error: print(started, error.strerror)
else: print(started, "started")`;
const EATS = `
eaten = [bytearray(1024 ** 2) for _ in range(${MEBIBYTES_TRIED})]
print("ate", len(eaten))`;
const FILLS = `
try:
    with open("/tmp/file", "wb", buffering=0) as file:
        for _ in range(${MEBIBYTES_TRIED}): file.write(bytes(1024 ** 2))
except OSError as error: print(error.strerror)`;
const python = (script: string) => ["/usr/bin/python3", "-I", "-c", script];

/** The group is entered as whoever runs the tests, the jail as its user. */
function jailed(held: LimitedRun, program: readonly string[]) {
  const { uid, gid } = jailUser();
  const drop =
    uid === undefined ? [] : ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--"];
  return runInJail([...held.inside, ...program], { prefix: [...held.outside, ...drop] });
}

async function limited(program: readonly string[]) {
  const held = limiter.start();
  try {
    return { ...(await jailed(held, program)), exceeded: held.exceeded() };
  } finally {
    await held.end();
  }
}

test("a fork bomb is stopped at the limit, and that is told", { skip: noGroups }, async () => {
  const { stdout, exceeded } = await limited(python(FORKS));
  const [, started, said] = /^(\d+) (.*)\n$/.exec(stdout) ?? [];
  assert.equal(said, "Resource temporarily unavailable");
  // Those of the jail's own processes and of what starts it count, too.
  assert.ok(Number(started) < 50 && Number(started) > 40, started);
  assert.deepEqual(exceeded, ["it may have 50 processes at once"]);
});

test("without groups the jail's own processes are counted, whatever else its user runs", { skip: noJail }, async () => {
  const inside = limitArguments(LIMITS, { prlimit: "/usr/bin/prlimit", controllers: [] });
  const runs = await Promise.all([0, 1].map(() => runInJail([...inside, ...python(FORKS)])));
  for (const { stdout, stderr } of runs) assert.match(stdout, /^4\d Resource temporarily unavailable\n$/, stderr);
});

test("no process raises its limits again", { skip: noJail }, async () => {
  const inside = limitArguments(LIMITS, { prlimit: "/usr/bin/prlimit", controllers: [] });
  const tries = "for limit in u t f d c; do ulimit -$limit unlimited 2>/dev/null && echo $limit; done; true";
  assert.equal((await runInJail([...inside, "bash", "-c", tries])).stdout, "");
});

test("one that takes too much memory is ended, and that is told", { skip: noGroups }, async () => {
  const { stdout, exceeded } = await limited(python(EATS));
  assert.deepEqual({ stdout, exceeded }, { stdout: "", exceeded: ["it may use 64 MiB of memory"] });
});

test("many that take too much together are ended, too", { skip: noGroups }, async () => {
  const each = `
import os, time
for _ in range(8):
    if os.fork() == 0: eaten = bytearray(16 * 1024 ** 2); time.sleep(0.5); os._exit(0)
print(sum(os.wait()[1] != 0 for _ in range(8)) > 0)`;
  const { stdout, exceeded } = await limited(python(each));
  assert.deepEqual({ stdout, exceeded }, { stdout: "True\n", exceeded: ["it may use 64 MiB of memory"] });
});

test("what it writes to a private directory counts as memory", { skip: noGroups }, async () => {
  const many = `for i in $(seq ${MEBIBYTES_TRIED}); do head -c 1M /dev/zero > /tmp/$i || exit; done; echo filled`;
  const { stdout, exceeded } = await limited(["bash", "-c", many]);
  assert.deepEqual({ stdout, exceeded }, { stdout: "", exceeded: ["it may use 64 MiB of memory"] });
});

test("without groups one process takes no more than the limit", { skip: noJail }, async () => {
  const inside = limitArguments(LIMITS, { prlimit: "/usr/bin/prlimit", controllers: [] });
  const { stdout, stderr } = await runInJail([...inside, ...python(EATS)]);
  assert.equal(stdout, "");
  assert.match(stderr, /MemoryError/);
});

test("a file that grows too large is refused, or ends its writer", { skip: noJail }, async () => {
  assert.equal((await limited(python(FILLS))).stdout, "File too large\n");
  const { status } = await limited(["bash", "-c", "exec head -c 2M /dev/zero > /tmp/file"]);
  assert.equal(status, 128 + 25, "SIGXFSZ");
});

test("a private directory holds no more than it may", { skip: noJail }, async () => {
  const { stdout } = await runInJail(python(FILLS), { bwrap: ["--size", `${1024 ** 2}`, "--tmpfs", "/tmp"] });
  assert.equal(stdout, "No space left on device\n");
});

test("one that computes too long is ended", { skip: noJail }, async () => {
  const { status } = await limited(["bash", "-c", "exec python3 -c 'while True: pass'"]);
  assert.equal(status, 128 + 24, "SIGXCPU");
  const stubborn = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass";
  assert.equal((await limited(python(stubborn))).status, 128 + 9);
});

test("ordinary work is told to have exceeded nothing", { skip: noJail }, async () => {
  const { status, stdout, exceeded } = await limited(["bash", "-c", "seq 3 | sort -r | head -1"]);
  assert.deepEqual({ status, stdout, exceeded }, { status: 0, stdout: "3\n", exceeded: [] });
});

test("a bomb that goes on and on is ended by one kill", { skip: noGroups }, async () => {
  const held = limiter.start();
  const run = jailed(held, ["bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 60"]);
  while (held.exceeded().length === 0) await sleep(5);
  held.kill();
  assert.equal((await run).status, null);
  await held.end();
  assert.deepEqual(
    held.outside.flatMap((word) => (existsSync(word) && word.startsWith("/sys/") ? word : [])),
    [],
  );
});

test("nothing is left of a limiter", { skip: noGroups }, async () => {
  const other = new RunLimiter(LIMITS);
  const runs = [other.start(), other.start()];
  for (const run of runs) await run.end();
  const before = limiterGroups();
  other.close();
  assert.equal(limiterGroups(), before / 2);
});

test("what a hub that was killed left in its groups is ended by the next one", { skip: noGroups }, async (t) => {
  const dead = spawnSync("/bin/true").pid;
  const orphan = spawn("/bin/sleep", ["60"]);
  t.after(() => orphan.kill("SIGKILL"));
  const ended = once(orphan, "exit");
  const left = groupsOf(process.pid).map((own) =>
    join(dirname(own), `countersign-${dead}-${statSync("/proc/self/ns/pid").ino}-left`),
  );
  for (const dir of left) {
    mkdirSync(join(dir, "run-1"), { recursive: true });
    if (dir === left[0]) writeFileSync(join(dir, "run-1/cgroup.procs"), `${orphan.pid}`);
  }
  new RunLimiter(LIMITS).close();
  assert.deepEqual(await ended, [null, "SIGKILL"]);
  new RunLimiter(LIMITS).close();
  assert.deepEqual(left.filter(existsSync), []);
});

function limiterGroups(): number {
  return groupsOf(process.pid).length;
}

function groupsOf(pid: number): string[] {
  const read = (name: string) => readFileSync(`/proc/self/${name}`, "utf8");
  const places = findHierarchies(read("mountinfo"), read("cgroup")).map(({ mount }) => mount);
  return [...new Set(places.flatMap((dir) => globSync(`${dir}/**/countersign-${pid}-*/`)))].map((path) =>
    resolve(path),
  );
}

test("a group is used again only by runs that come after, and never one that ran out of something", {
  skip: noGroups,
}, async () => {
  const [one, other] = [limiter.start(), limiter.start()];
  assert.notDeepEqual(one.outside, other.outside);
  await one.end();
  await one.end();
  const next = limiter.start();
  assert.deepEqual(next.outside, one.outside);
  assert.notDeepEqual(limiter.start().outside, next.outside);
  await jailed(next, python(EATS));
  await next.end();
  const fresh = limiter.start();
  assert.notDeepEqual(fresh.outside, next.outside);
  assert.deepEqual(fresh.exceeded(), []);
});
