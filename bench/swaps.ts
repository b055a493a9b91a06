// What still runs in a jail whose approved script is replaced from outside: until the hub's watch has killed it.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@countersign/core/base";
import { type Engine, runInJail, startProcess, Withdrawal } from "@countersign/jail";
import { percentile } from "./rounds.ts";

const ROUNDS = 100;
const SHELL = "/bin/bash";
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8" };
const APPROVED = "#!/bin/bash\n:\n";
/** Each line is a statement that ran, with the moment in seconds. */
const TELL = "while :; do echo $EPOCHREALTIME; done";
const SWAPPED = `#!/bin/bash\n${TELL} > swapped\n`;
/** The swap comes this much later than the jail says that it's up. */
const MOST_WAIT_MS = 10;

/** What runs when the script is replaced. Each says `up` first. */
const FORMS: Readonly<Record<string, string>> = {
  "a process": `${TELL} > up`,
  "a daemon": `(setsid bash -c '${TELL} > up' &); sleep 60`,
  "./s.sh once, at any moment":
    "echo > up; for ((i = RANDOM % 2000; i > 0; i--)); do echo; done > /dev/null; ./s.sh; sleep 60",
  "./s.sh again and again": "echo > up; while :; do ./s.sh; done",
  ". ./s.sh again and again": "echo > up; while :; do . ./s.sh; done",
};

interface Round {
  /** From the rename to the last sign of life; undefined if the form gives none. */
  readonly ms: number | undefined;
  /** Statements of the swapped script that ran. */
  readonly statements: number;
}

/** Prints the figures of an idle machine and of one with four busy processes for each processor. */
export async function benchSwaps(engine: Engine, workspace: string): Promise<void> {
  for (const busy of [0, 4 * availableParallelism()]) {
    const load = Array.from({ length: busy }, () => spawn(SHELL, ["-c", "while :; do :; done"], { stdio: "ignore" }));
    try {
      console.log(`\n  script replaced by rename, ${ROUNDS} times for each form, beside ${busy} busy processes:`);
      for (const [name, command] of Object.entries(FORMS)) await benchForm(engine, workspace, { name, command });
    } finally {
      await Promise.all(load.map(end));
    }
  }
}

async function benchForm(
  engine: Engine,
  workspace: string,
  { name, command }: { readonly name: string; readonly command: string },
): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await swapped(engine, workspace, command));
  const times = rounds.flatMap(({ ms }) => ms ?? []);
  const shares = [0.5, 0.9, 0.99, 1].map((share) => percentile(times, share).toFixed(2));
  const ran = rounds.filter(({ statements }) => statements > 0);
  const most = Math.max(...rounds.map(({ statements }) => statements));
  const alive = times.length === 0 ? "" : `; last sign of life after ${shares.join(" / ")} ms (50, 90, 99, 100 %)`;
  console.log(
    `    ${name.padEnd(27)} the new script ran in ${ran.length} of ${ROUNDS}, ${most} statements at most${alive}`,
  );
}

async function swapped(engine: Engine, workspace: string, command: string): Promise<Round> {
  const [script, up, told] = ["s.sh", "up", "swapped"].map((file) => join(workspace, file)) as [string, string, string];
  for (const path of [script, up, told]) rmSync(path, { force: true });
  writeFileSync(script, APPROVED, { mode: 0o755 });
  writeFileSync(`${script}.new`, SWAPPED, { mode: 0o755 });
  const code = [{ path: script, mode: 0o755, content: Buffer.from(APPROVED) }];
  const plan = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] } as const;
  const request = {
    plan,
    shell: SHELL,
    command,
    cwd: workspace,
    roots: [workspace],
    env: ENV,
    credentials: { paths: [], env: {} },
  };
  const heldCode = [{ name: script, path: script }];
  const running = runInJail(
    () => engine.build({ ...request, code, heldCode }),
    (launch) => {
      const order = { launch, timeoutMs: 60_000, killGraceMs: 2_000, maxOutputBytes: 1_048_576 };
      return startProcess(order, systemClock, new Withdrawal());
    },
  );
  while (!existsSync(up) || statSync(up).size === 0) await sleep(1);
  await sleep(Math.random() * MOST_WAIT_MS);
  const offset = wallOffsetMs();
  const before = performance.now() + offset;
  renameSync(`${script}.new`, script);
  const { result } = await running;
  if (result.end.kind !== "interrupted") throw new Error(`The swap wasn't noticed: ${JSON.stringify(result.end)}`);
  const ran = linesOf(told);
  const signs = [ran, linesOf(up)].flatMap((lines) => lines.at(-1) ?? []);
  const last = Math.max(...signs.map((line) => Number(line) * 1_000));
  return { ms: signs.length === 0 ? undefined : Math.max(0, last - before), statements: ran.length };
}

/** Whole ones: the last may be cut. */
function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "latin1")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "");
}

/** Of the wall clock against `performance.now`, to a few microseconds. */
function wallOffsetMs(): number {
  const began = Date.now();
  let now = began;
  while (now === began) now = Date.now();
  return now - performance.now();
}

function end(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  return ended;
}
