// The hub as it is published (`npm run package`), in a process of its own, so that its memory can be measured apart from its clients.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The command in a clone, and the one that is published. */
export const COMMANDS = {
  source: fileURLToPath(new URL("../packages/cli/bin/countersign.js", import.meta.url)),
  published: fileURLToPath(new URL("../dist/cli/bin/countersign.js", import.meta.url)),
};

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  readonly home: string;
  readonly hubKey: string;
}

/** With the option that the command's first line has; in a home of its own, unless one is given. */
export async function startServer(
  command: string = COMMANDS.published,
  home = join(realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-"))), "home"),
): Promise<Server> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  const child = spawn(
    process.execPath,
    ["--max-semi-space-size=8", "--heap-growing-percent=40", command, "serve", "--json", "--port", "0"],
    {
      cwd: workspace,
      // Of whoever runs this, neither the agents nor the hub.
      env: { PATH: process.env.PATH, HOME: scratch, COUNTERSIGN_HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  child.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url, hubKey } = JSON.parse(line) as { url: string; hubKey: string };
  const token = readFileSync(join(home, "keys/token"), "utf8").trim();
  return { child, url, token, workspace, home, hubKey };
}

export function residentMb({ child }: Server): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb) / 1000);
}

export async function stopServer({ child }: Server): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}
