import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { silentLog, systemClock } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import { type Engine, type JailKind, probeEngine, runInJail, startProcess, Withdrawal } from "@countersign/jail";
import { eventually } from "../support/serve-fixture.ts";

const RUNS = 10_000;
/** What is kept for later runs (a mount room, directories that stand ready) is there after these. */
const WARM_UP = 200;
const AT_ONCE = 6;
const GRACE_MS = 20;

interface Kind {
  readonly kind: JailKind;
  readonly command: string;
  readonly end: string;
  readonly hosts?: readonly string[];
  readonly timeoutMs?: number;
  readonly stopAfterMs?: number;
}

const STUBBORN = "trap '' TERM; setsid sleep 100 & sleep 100";
/** Most are as ordinary as most runs are; each hundredth is one that must be ended, leaves something, or has a network. */
const ORDINARY: readonly Kind[] = [
  { kind: "read-only", command: "true", end: "exited" },
  { kind: "read-only", command: "cat sub/file | head -c 10", end: "exited" },
  { kind: "workspace", command: "echo x > $$.tmp; rm $$.tmp", end: "exited" },
  { kind: "open", command: "mkdir d-$$; rmdir d-$$; touch /tmp/left", end: "exited" },
];
const SELDOM: readonly Kind[] = [
  { kind: "read-only", command: STUBBORN, end: "timed-out", timeoutMs: 60 },
  { kind: "workspace", command: STUBBORN, end: "timed-out", timeoutMs: 60 },
  { kind: "workspace", command: STUBBORN, end: "aborted", stopAfterMs: 60 },
  { kind: "open", command: "setsid sleep 100 & nohup sleep 100 > /dev/null 2>&1 & exit 3", end: "exited" },
  { kind: "workspace", command: "kill -9 $$", end: "exited" },
  { kind: "read-only+network", command: "true", end: "exited", hosts: ["example.org"] },
  { kind: "workspace", command: "head -c 3000000 /dev/zero", end: "exited" },
];

test(`${RUNS} runs leave no descriptor, process, mount, control group or file`, async (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-many-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  // Its own: in the machine's, others come and go.
  process.env.TMPDIR = join(dir, "temporary");
  mkdirSync(tmpdir());
  const workspace = join(dir, "workspace");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  for (const name of ["sub/file", ".env", "sub/.env"]) writeFileSync(join(workspace, name), "x".repeat(100));
  execFileSync("git", ["init", "-q", workspace]);
  const home = prepareHome(join(dir, "home"));
  const facts = { home, shell: "/bin/bash", roots: [workspace], limits: {}, clock: systemClock, log: silentLog };
  const { engine, problem } = await probeEngine(facts);
  if (!engine) return t.skip(problem);
  t.after(() => engine.close());
  await runMany(engine, workspace, WARM_UP);
  const before = possessions(dir);
  await runMany(engine, workspace, RUNS);
  // What was killed last may not be reaped yet, nor what led to it be closed.
  await eventually(() => isDeepStrictEqual(possessions(dir), before)).catch(() => undefined);
  assert.deepEqual(possessions(dir), before);
  const groups = controlGroups();
  assert.ok(groups.length <= MOST_GROUPS, groups.join("\n"));
});

/** Those that stand ready for the next runs, and the one around them, for each of two controllers. */
const MOST_GROUPS = 2 * 9;

function controlGroups(): string[] {
  const words = ["/sys/fs/cgroup", "-path", `*countersign-${process.pid}-*`, "-type", "d"];
  return execFileSync("find", words, { encoding: "utf8" }).split("\n").filter(Boolean);
}

async function runMany(engine: Engine, workspace: string, count: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      const seldom = at % 100 < SELDOM.length ? SELDOM[at % 100] : undefined;
      await runOne(engine, workspace, seldom ?? (ORDINARY[at % ORDINARY.length] as Kind));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function runOne(engine: Engine, workspace: string, one: Kind): Promise<void> {
  const { kind, command, hosts = [], timeoutMs = 60_000, stopAfterMs } = one;
  const plan = { kind, hosts, opensGit: false, reads: [], writes: [], removes: [] };
  const env = { PATH: "/usr/bin:/bin" };
  const request = {
    plan,
    shell: "/bin/bash",
    command,
    cwd: workspace,
    roots: [workspace],
    env,
    credentials: { paths: [], env: {} },
    code: [],
  };
  const withdrawal = new Withdrawal();
  const { result } = await runInJail(
    () => engine.build(request),
    (launch) => {
      if (stopAfterMs !== undefined) setTimeout(() => withdrawal.withdraw("stopped"), stopAfterMs);
      return startProcess({ launch, timeoutMs, killGraceMs: GRACE_MS, maxOutputBytes: 4_096 }, systemClock, withdrawal);
    },
  );
  assert.equal(result.end.kind, one.end, JSON.stringify({ one, result }));
}

function possessions(dir: string) {
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    children: readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").length,
    mounts: ownLines("/proc/self/mountinfo", dir),
    // Those that stand ready for the next run are bounded by how many run at once.
    files: readdirSync(dir, { recursive: true })
      .filter((name) => !`${name}`.startsWith("home/run/placeholders/"))
      .sort(),
  };
}

function ownLines(file: string, dir: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes(dir) || line.includes("idmapped"));
}
