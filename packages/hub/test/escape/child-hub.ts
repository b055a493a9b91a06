import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import type { JailKind } from "@countersign/jail";
import { childScript } from "../programs/child-script.ts";
import { type Answer, eventually, send, TOKEN } from "../support/serve-fixture.ts";
import { giveTo, SECRET, startAs, type World } from "./world.ts";

export interface ChildHub {
  readonly pid: number;
  readonly port: number;
  /** Proposes it in this jail, or the one that is cut for it, and lets it run there if it is asked about. */
  run(kind: JailKind | undefined, command: string, more?: object): Promise<Answer["body"]>;
}

/** Small enough that reaching them hurts nobody. */
export const LIMITS = { memoryBytes: 96 * 1024 ** 2, processes: 64, tmpBytes: 2 * 1024 ** 2, fileBytes: 8 * 1024 ** 2 };

/** A descriptor that the hub was started with and knows nothing of, as a careless supervisor leaves one; node closes low ones. */
const LEAKED_FD = 200;

/** What starts a program with it: it leads to the directory around everything. */
export function withLeak({ dir }: World): string[] {
  return ["bash", "-c", `exec ${LEAKED_FD}< "$0" && exec "$@"`, dir];
}

/** A hub in a process of its own, with secrets in its environment. Everything is allowed: only the jail is in the way. */
export async function startChildHub(t: TestContext, world: World): Promise<ChildHub> {
  const { who, home, ownHome, workspace } = world;
  const profile = { execApproval: { security: "full", ask: "off" } };
  put(join(ownHome, "profiles/default/config.json"), profile);
  put(join(ownHome, "config.json"), { tools: { limits: LIMITS, timeout: 30_000 } });
  giveTo(who.uid, join(ownHome, "..", ".."));
  const script = childScript("serve");
  const [file = "", ...args] = [...startAs(who), ...withLeak(world), process.execPath, script, ownHome, workspace];
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: "/tmp", COUNTERSIGN_TOKEN: TOKEN, WORD: SECRET },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => end(child));
  assert(child.stdout);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url, message } = JSON.parse(line);
  assert(url, message);
  const call = (path: string, body?: unknown) =>
    send(new URL(path, url), body === undefined ? {} : { method: "POST", body });
  return {
    pid: child.pid as number,
    port: Number(new URL(url).port),
    run: async (jail, command, more) => {
      const answer = call("/api/v1/exec", { command, jail, ...more });
      if (jail === "open") {
        const asked = async () => {
          const all: Answer["body"][] = (await call("/api/v1/approvals")).body;
          return all.find((one) => one.command === command)?.approvalId;
        };
        await call(`/api/v1/approvals/${await eventually(asked)}/decision`, { decision: "allow-once", jail });
      }
      return (await answer).body;
    },
  };
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

function put(path: string, content: object): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(content));
}
