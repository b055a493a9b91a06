import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { type Home, prepareHome } from "@countersign/core/config";
import {
  type DiscardedChanges,
  type Engine,
  type JailPlan,
  type ProcessResult,
  probeEngine,
  startProcess,
  Withdrawal,
  watchGrowth,
} from "@countersign/jail";

const PLAN: JailPlan = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] };
export const SCRATCH_BYTES = 8 * 1024 * 1024;

export interface PreviewBench {
  readonly home: Home;
  readonly workspace: string;
  run(command: string, more?: Partial<JailPlan> & { timeoutMs?: number }): Promise<Previewed>;
}

interface Previewed extends DiscardedChanges, Omit<ProcessResult, "truncated"> {
  /** `created a`, `changed b`, in the order of their paths, relative to the workspace. */
  readonly short: readonly string[];
  /** Why it was ended, if it was. */
  readonly ended: string | undefined;
}

/** Real jails over a real workspace. Undefined, and the test skipped, where there are none. */
export async function openBench(t: TestContext, how: "overlay" | "copy"): Promise<PreviewBench | undefined> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-preview-")));
  const home = prepareHome(join(dir, "home"));
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  const limits = { tmpBytes: SCRATCH_BYTES };
  const facts = {
    home,
    shell: "/bin/bash",
    roots: [workspace],
    limits,
    clock: systemClock,
    log: silentLog,
    discardBy: how,
  };
  const { engine, problem } = await probeEngine(facts);
  t.after(async () => {
    await engine?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  if (!engine) {
    t.skip(`no jail can be built here: ${problem}`);
    return undefined;
  }
  const run = (command: string, more = {}) => preview({ engine, workspace, command }, more);
  return { home, workspace, run };
}

async function preview(
  { engine, workspace, command }: { engine: Engine; workspace: string; command: string },
  { timeoutMs = 30_000, ...change }: Partial<JailPlan> & { timeoutMs?: number },
): Promise<Previewed> {
  const withdrawal = new Withdrawal();
  const where = { cwd: workspace, roots: [workspace], env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" } };
  const request = {
    plan: { ...PLAN, ...change },
    shell: "/bin/bash",
    command,
    credentials: { paths: [], env: {} },
    code: [],
    discards: { cancelled: new AbortController().signal },
  };
  const jailed = await engine.build({ ...request, ...where });
  const { discarded } = jailed;
  assert(discarded);
  const plan = { launch: jailed.launch, timeoutMs, killGraceMs: 200, maxOutputBytes: 64 * 1024 };
  const stop = watchGrowth(discarded, { clock: systemClock, withdrawal });
  const { end, stdout, stderr } = await startProcess(plan, systemClock, withdrawal).finally(async () => {
    stop();
    await jailed.finish();
  });
  const changes = await discarded.changes();
  assert(changes);
  const short = changes.changes.map(({ path, change }) => `${change} ${path.slice(workspace.length + 1)}`);
  return { end, stdout, stderr, ...changes, short, ended: withdrawal.reason };
}

/** Everything that could tell a change: names, types, modes, owners, contents, times. */
export function treeHash(root: string): string {
  const hash = createHash("sha256");
  const walk = (path: string) => {
    const stat = lstatSync(path, { bigint: true });
    hash.update(`${path}\0${stat.mode}\0${stat.uid}\0${stat.gid}\0${stat.mtimeNs}\0${stat.nlink}\n`);
    if (stat.isFile()) hash.update(readFileSync(path));
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
  };
  walk(root);
  return hash.digest("hex");
}

/** Those that other tests fill meanwhile. */
const SMALL_DISKS = /^.* \/\S+\/(?:small|home) .* - tmpfs .*\n/gm;

/** Mounts of this process, its descriptors, and its children. */
export function leftovers(): { mounts: string; descriptors: number; children: string } {
  return {
    mounts: readFileSync("/proc/self/mountinfo", "utf8").replaceAll(SMALL_DISKS, ""),
    descriptors: readdirSync("/proc/self/fd").length,
    children: readFileSync(`/proc/self/task/${process.pid}/children`, "utf8"),
  };
}
