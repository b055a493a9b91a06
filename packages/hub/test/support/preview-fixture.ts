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
  type JailCut,
  type Jails,
  type Looked,
  type ProcessResult,
  probeJails,
  startProcess,
  ThrowAway,
  Withdrawal,
  watchGrowth,
} from "@countersign/jail";
import { PreviewRooms } from "../../../jail/src/discard/preview-rooms.ts";

const CUT: JailCut = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] };
export const SCRATCH_BYTES = 8 * 1024 * 1024;

export interface PreviewBench {
  readonly home: Home;
  readonly workspace: string;
  run(command: string, more?: Partial<JailCut> & { timeoutMs?: number }): Promise<Previewed>;
}

interface Previewed extends Looked, Omit<ProcessResult, "truncated"> {
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
  const facts = { home, shell: "/bin/bash", roots: [workspace], limits, clock: systemClock, log: silentLog };
  const { jails, problem } = await probeJails(facts);
  t.after(async () => {
    await jails?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  if (!jails) {
    t.skip(`no jail can be built here: ${problem}`);
    return undefined;
  }
  const user = process.getuid?.() === 0 ? { uid: jails.uid, gid: jails.uid } : undefined;
  const rooms = new PreviewRooms({ user, keptIn: home.run, bytes: SCRATCH_BYTES, how });
  const run = (command: string, more = {}) => preview({ jails, rooms, workspace, command }, more);
  return { home, workspace, run };
}

async function preview(
  { jails, rooms, workspace, command }: { jails: Jails; rooms: PreviewRooms; workspace: string; command: string },
  { timeoutMs = 30_000, ...cut }: Partial<JailCut> & { timeoutMs?: number },
): Promise<Previewed> {
  const throwAway = new ThrowAway(rooms, new AbortController().signal);
  const withdrawal = new Withdrawal();
  const where = { cwd: workspace, roots: [workspace], env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" } };
  const request = {
    cut: { ...CUT, ...cut },
    shell: "/bin/bash",
    command,
    lent: { paths: [], env: {} },
    code: [],
    throwAway,
  };
  const jailed = await jails.build({ ...request, ...where });
  const plan = { launch: jailed.launch, timeoutMs, killGraceMs: 200, maxOutputBytes: 64 * 1024 };
  const stop = watchGrowth(throwAway, { clock: systemClock, withdrawal });
  const { end, stdout, stderr } = await startProcess(plan, systemClock, withdrawal).finally(async () => {
    stop();
    await jailed.finish();
  });
  const looked = await throwAway.looked();
  assert(looked);
  const short = looked.changes.map(({ path, change }) => `${change} ${path.slice(workspace.length + 1)}`);
  return { end, stdout, stderr, ...looked, short, ended: withdrawal.reason };
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
