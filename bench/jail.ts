// `npm run bench:jail`: a whole run in a jail, from the look at the workspace to the scan after it, against the barest one; and
// what still runs in a jail whose approved script is replaced.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLog, systemClock } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import { type Engine, type JailKind, probeEngine, runInJail, startProcess, Withdrawal } from "@countersign/jail";
import { median } from "./rounds.ts";
import { benchSwaps } from "./swaps.ts";

const ROUNDS = 150;
const WARM_UP = 15;
const TO_REACH = 1.6;
const KINDS = ["read-only", "workspace"] as const;
const BARE = "--ro-bind / / --dev /dev --proc /proc --unshare-all bash -c true".split(" ");
const SHELL = "/bin/bash";
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8" };
/** Not anybody's. */
const USER = 54_321;

const [inside] = process.argv.slice(2);
if (inside !== undefined) await bench(inside);
else for (const uid of process.getuid?.() === 0 ? [0, USER] : [process.getuid?.() ?? 0]) benchAs(uid);

/** In a process of its own, in a directory that is that user's. */
function benchAs(uid: number): void {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
  try {
    makeProject(join(dir, "workspace"));
    spawnSync("chown", ["-R", `${uid}:${uid}`, dir]);
    const become =
      uid === process.getuid?.() ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
    const [file = "", ...args] = [...become, process.execPath, fileURLToPath(import.meta.url), dir];
    spawnSync(file, args, { stdio: "inherit", env: { ...process.env, HOME: dir } });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** As large as a small project: a repository, sources, and packages that nobody looks into. */
function makeProject(root: string): void {
  for (let at = 0; at < 20; at += 1) {
    for (const dir of [`src/part-${at}`, `node_modules/package-${at}/lib`]) {
      mkdirSync(join(root, dir), { recursive: true });
      for (let file = 0; file < 10; file += 1) writeFileSync(join(root, dir, `${file}.ts`), "x");
    }
  }
  writeFileSync(join(root, ".env"), "SECRET=1");
  spawnSync("git", ["init", "-q", root]);
}

async function bench(dir: string): Promise<void> {
  const home = prepareHome(join(dir, "home"));
  const workspace = join(dir, "workspace");
  const { engine, problem } = await probeEngine({
    home,
    shell: SHELL,
    roots: [workspace],
    limits: {},
    clock: systemClock,
    log: silentLog,
  });
  if (!engine) return console.log(`No jail here: ${problem}`);
  const works: Record<string, () => Promise<unknown>> = {
    bare,
    ...Object.fromEntries(KINDS.map((kind) => [kind, () => runTrue(engine, kind, workspace)])),
  };
  const times = Object.fromEntries(Object.keys(works).map((name) => [name, [] as number[]]));
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const started = performance.now();
      await work();
      if (round >= WARM_UP) times[name]?.push(performance.now() - started);
    }
  }
  const bareMs = median(times.bare ?? []);
  const who = process.getuid?.() === 0 ? "root's hub" : "an ordinary user's hub";
  console.log(`\n${who}: \`true\`, median of ${ROUNDS} runs, one after the other:`);
  console.log(`  bare bwrap   ${bareMs.toFixed(2)} ms`);
  for (const kind of KINDS) {
    const ms = median(times[kind] ?? []);
    console.log(`  ${kind.padEnd(12)} ${ms.toFixed(2)} ms, ${(ms / bareMs).toFixed(2)} × (to reach: ${TO_REACH})`);
  }
  await benchSwaps(engine, workspace);
  await engine.close();
}

function bare(): Promise<unknown> {
  const child = spawn("/usr/bin/bwrap", BARE, { stdio: ["ignore", "pipe", "pipe"], env: ENV });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once("close", resolve));
}

async function runTrue(engine: Engine, kind: JailKind, workspace: string): Promise<void> {
  const plan = { kind, hosts: [], opensGit: false, reads: [], writes: [], removes: [] };
  const credentials = { paths: [], env: {} };
  const request = {
    plan,
    shell: SHELL,
    command: "true",
    cwd: workspace,
    roots: [workspace],
    env: ENV,
    credentials,
    code: [],
  };
  const { result } = await runInJail(
    () => engine.build(request),
    (launch) => {
      const order = { launch, timeoutMs: 60_000, killGraceMs: 2_000, maxOutputBytes: 1_048_576 };
      return startProcess(order, systemClock, new Withdrawal());
    },
  );
  if (result.end.kind !== "exited" || result.end.exitCode !== 0) throw new Error(JSON.stringify(result));
}
