import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import { type JailProbe, probeJails } from "../../src/build/probe-jails.ts";
import { type Launch, unjailed } from "../../src/process/launch.ts";

export interface Wanted {
  readonly command: string;
  readonly cwd?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Launcher {
  readonly name: "unjailed" | "jailed";
  /** Why nothing can be launched so here. */
  why(): string | undefined;
  /** `finish` lets go of what the launch needed. */
  make(wanted: Wanted): Promise<{ readonly launch: Launch; finish(): Promise<unknown> }>;
}

const ENV: Record<string, string> = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" };

/** The two ways to start a command, for tests that hold for both. Call it once in a file; `dir` is there when tests run. */
export function launchers(): { readonly dir: string; readonly all: readonly Launcher[] } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "countersign-launch-")));
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  const home = prepareHome(join(dir, "home"));
  let probe: JailProbe = { jails: undefined, problem: "not probed yet" };
  before(async () => {
    probe = await probeJails({
      home,
      shell: "/bin/bash",
      roots: [workspace],
      limits: {},
      clock: systemClock,
      log: silentLog,
    });
  });
  after(() => {
    probe.jails?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const cut = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] } as const;
  const nothing = { lent: { paths: [], env: {} }, code: [] };
  const unjailedLauncher: Launcher = {
    name: "unjailed",
    why: () => undefined,
    async make({ command, cwd = workspace, shell = "/bin/bash", env = ENV }) {
      return { launch: unjailed(shell, { command, cwd, env }), finish: async () => undefined };
    },
  };
  const jailedLauncher: Launcher = {
    name: "jailed",
    why: () => (probe.jails ? undefined : probe.problem),
    async make({ command, cwd = workspace, shell = "/bin/bash", env = ENV }) {
      const { jails } = probe;
      if (!jails) throw new Error(probe.problem);
      return await jails.build({ cut, shell, command, cwd, roots: [workspace], env, ...nothing });
    },
  };
  return { dir: workspace, all: [unjailedLauncher, jailedLauncher] };
}
