import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import { type EngineProbe, probeEngine } from "../../src/bubblewrap/probe-engine.ts";
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
  let probe: EngineProbe = { engine: undefined, problem: "not probed yet" };
  before(async () => {
    probe = await probeEngine({
      home,
      shell: "/bin/bash",
      roots: [workspace],
      limits: {},
      clock: systemClock,
      log: silentLog,
    });
  });
  after(() => {
    probe.engine?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const plan = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] } as const;
  const nothing = { credentials: { paths: [], env: {} }, code: [] };
  const unjailedLauncher: Launcher = {
    name: "unjailed",
    why: () => undefined,
    async make({ command, cwd = workspace, shell = "/bin/bash", env = ENV }) {
      return { launch: unjailed(shell, { command, cwd, env }), finish: async () => undefined };
    },
  };
  const jailedLauncher: Launcher = {
    name: "jailed",
    why: () => (probe.engine ? undefined : probe.problem),
    async make({ command, cwd = workspace, shell = "/bin/bash", env = ENV }) {
      const { engine } = probe;
      if (!engine) throw new Error(probe.problem);
      return await engine.build({ plan, shell, command, cwd, roots: [workspace], env, ...nothing });
    },
  };
  return { dir: workspace, all: [unjailedLauncher, jailedLauncher] };
}
