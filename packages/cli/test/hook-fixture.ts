import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";
import type { Ended } from "./countersign.ts";

const HOOK_FILE = fileURLToPath(new URL("../hook/countersign-hook.cjs", import.meta.url));

type Cleaner = { after(fn: () => unknown): void };

export interface Asked {
  readonly home?: string;
  readonly key?: string;
  readonly deadlineMs?: number;
  readonly node?: string;
  /** Written as it is; a function writes and ends by itself. */
  readonly stdin?: string | Buffer;
  /** Stdin stays open. */
  readonly open?: boolean;
  /** `ignore`: nobody can read the answer. */
  readonly stdout?: "pipe" | "ignore";
  readonly env?: Readonly<Record<string, string>>;
}

/** A hub in this process, with a home and a workspace of its own. */
export class HookPlace {
  readonly home: string;
  readonly workspace: string;
  readonly served: Served;

  private constructor(root: string, served: Served) {
    this.home = join(root, "home");
    this.workspace = join(root, "work");
    this.served = served;
  }

  /** `files`: what stands in the home before the hub starts, by its path. */
  static async open(t: Cleaner, files: Readonly<Record<string, object>> = {}): Promise<HookPlace> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "cs-hook-")));
    mkdirSync(join(root, "work"));
    for (const [name, content] of Object.entries(files)) {
      const path = join(root, "home", name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, JSON.stringify(content));
    }
    const served = await serve({ homeDir: join(root, "home"), cwd: join(root, "work"), port: 0, log: silentLog });
    t.after(async () => {
      await served.close();
      rmSync(root, { recursive: true, force: true });
    });
    return new HookPlace(root, served);
  }

  /** The hook as an agent starts it. */
  async hook(agent: string, event: unknown, asked: Asked = {}): Promise<Ended> {
    const { home = this.home, key = this.served.hubKey, deadlineMs = 20_000 } = asked;
    return await callHook([agent, "--home", home, "--key", key, "--deadline-ms", `${deadlineMs}`], event, asked);
  }

  /** A call with the approver's token. */
  // biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
  async api(method: string, path: string, body?: object, token?: string): Promise<any> {
    const bearer = token ?? readFileSync(this.served.home.token, "utf8").trim();
    const response = await fetch(this.served.url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return await response.json();
  }
}

export async function callHook(args: readonly string[], event: unknown, asked: Asked = {}): Promise<Ended> {
  const { node = process.execPath, stdin = JSON.stringify(event), open = false, env = {}, stdout = "pipe" } = asked;
  const child = spawn(node, [HOOK_FILE, ...args], { env, stdio: ["pipe", stdout, "pipe"] });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      out[name] += text;
    });
  }
  // It may answer before it has read all.
  assert(child.stdin);
  child.stdin.on("error", () => undefined);
  if (open) child.stdin.write(stdin);
  else child.stdin.end(stdin);
  const [code] = await once(child, "close");
  return { code, ...out };
}

let calls = 0;

/** Claude Code's, as it sends it. */
export function claudeEvent(place: Pick<HookPlace, "workspace">, command: string, more: object = {}): object {
  calls += 1;
  return {
    session_id: "0199c1de-5d1e-7000-8000-000000000001",
    transcript_path: "/nowhere/transcript.jsonl",
    cwd: place.workspace,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command, description: "What it is for" },
    tool_use_id: `toolu_${calls}`,
    ...more,
  };
}
