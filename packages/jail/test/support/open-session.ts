import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { silentLog } from "@countersign/core/base";
import { openWorkspaceJail, type WorkspaceJail } from "../../src/bubblewrap/workspace-jail.ts";
import type { SessionRequest } from "../../src/session/session-mount.ts";

export interface SessionBench {
  readonly workspace: string;
  /** Beside the workspace, and allowed to be bound. */
  readonly allowed: string;
  /** Beside both, and nobody's to be given. */
  readonly base: string;
  open(wish?: Partial<SessionRequest>, more?: { readonly tmpBytes?: number }): Promise<WorkspaceJail>;
}

/** Sessions around a directory that is there for one test. `at` is where it is made: much is hidden in one place and not in another. */
export function sessionBench(t: TestContext, at = "/var/tmp"): SessionBench {
  const base = realpathSync(mkdtempSync(join(at, "countersign-session-")));
  chmodSync(base, 0o755);
  const [workspace, allowed, homeDir] = ["workspace", "allowed", "home"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [workspace, allowed, homeDir]) mkdirSync(path);
  const engine: WorkspaceJail[] = [];
  t.after(async () => {
    await Promise.all(engine.map((jail) => jail.close()));
    rmSync(base, { recursive: true, force: true });
  });
  return {
    ...{ workspace, allowed, base },
    async open(wish = {}, more = {}) {
      const session: SessionRequest = { root: workspace, mode: "rw", binds: [], allowed: [allowed], ids: {}, ...wish };
      const jail = await openWorkspaceJail({ workspace, homeDir, network: false, log: silentLog, session, ...more });
      engine.push(jail);
      return jail;
    },
  };
}

/** What a command says, a line each, with what it complains about. */
export async function said(jail: WorkspaceJail, command: string): Promise<string[]> {
  const process = await jail.start({ command: `exec 2>&1; ${command}`, cwd: jail.workspace, env: jail.env });
  const lines = (await text(process.stdout)).split("\n").slice(0, -1);
  await process.ended;
  return lines;
}
