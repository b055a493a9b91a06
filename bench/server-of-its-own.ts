import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  readonly home: string;
  readonly hubKey: string;
}

/** With the same option as `npm start` and the `countersign` command. */
export async function startServer(): Promise<Server> {
  const script = fileURLToPath(new URL("server-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--max-semi-space-size=8", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, ...(JSON.parse(line) as Omit<Server, "child">) };
}

export function residentMb({ child }: Server): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb) / 1000);
}

export async function stopServer({ child }: Server): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}
