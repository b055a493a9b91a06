// `npm run bench:hook`: what a hook adds to an agent's call. The hub is warm, in a process of its own; the command is a safe one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { median } from "./rounds.ts";
import { startServer, stopServer } from "./server-of-its-own.ts";

const HOOK = fileURLToPath(new URL("../packages/cli/hook/countersign-hook.cjs", import.meta.url));
const ROUNDS = 60;
const REQUESTS = 400;
const WARM_UP = 10;
/** Until the hub's code is compiled. */
const HUB_WARM_UP = 1_000;
const AT_ONCE = 50;
const TO_REACH = { ratio: 1.4, overMs: 3 };
const SYSTEM_NODE = "/usr/bin/node";

let calls = 0;
const server = await startServer();
try {
  // First: it is what warms the hub.
  await benchHttp();
  for (const node of [process.execPath, ...(existsSync(SYSTEM_NODE) ? [SYSTEM_NODE] : [])]) await benchProcess(node);
  await benchAtOnce();
} finally {
  await stopServer(server);
}

async function benchProcess(node: string): Promise<void> {
  const bare: number[] = [];
  const hook: number[] = [];
  // In turn, so that whatever else the machine does is done to both.
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const without = await timed(() => end(node, ["-e", "0"], ""));
    const withHook = await timed(() => ask(node));
    if (round >= 0) {
      bare.push(without);
      hook.push(withHook);
    }
  }
  const ratio = median(hook) / median(bare);
  const figures = `${median(hook).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`;
  console.log(`hook process (${node}): ${ratio.toFixed(2)}x (${figures}; to reach: ${TO_REACH.ratio}x)`);
}

async function benchAtOnce(): Promise<void> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(process.execPath)));
  const misses = answers.filter((answer) => !answer.includes('"permissionDecision":"allow"')).length;
  console.log(`${AT_ONCE} hooks at once: ${misses} missed (to reach: 0)`);
}

async function benchHttp(): Promise<void> {
  const bare = createServer((_, response) => response.setHeader("content-type", "application/json").end("{}"));
  bare.listen(0, "127.0.0.1");
  await once(bare, "listening");
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
  const agent = new Agent({ keepAlive: true });
  const without: number[] = [];
  const withHook: number[] = [];
  for (let round = -HUB_WARM_UP; round < REQUESTS; round += 1) {
    const asked = event();
    const hookUrl = `${server.url}/api/v1/hooks/claude-code`;
    const one = await timed(() => post(bareUrl, asked, agent));
    const other = await timed(() => post(hookUrl, asked, agent));
    // So that it doesn't stay open.
    await post(hookUrl, { ...asked, hook_event_name: "PostToolUse", tool_response: { stdout: "", stderr: "" } }, agent);
    if (round >= 0) {
      without.push(one);
      withHook.push(other);
    }
  }
  agent.destroy();
  bare.close();
  const over = median(withHook) - median(without);
  const figures = `${median(withHook).toFixed(2)} ms, bare ${median(without).toFixed(2)} ms`;
  console.log(`HTTP hook: ${over.toFixed(2)} ms over a bare answer (${figures}; to reach: ${TO_REACH.overMs} ms)`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function ask(node: string): Promise<string> {
  const { home, hubKey } = server;
  // As `install` writes it.
  const args = ["--v8-pool-size=1", HOOK, "claude-code", "--home", home, "--key", hubKey, "--deadline-ms", "20000"];
  return end(node, args, JSON.stringify(event()));
}

function event(): object {
  calls += 1;
  return {
    session_id: `bench-${Math.floor(calls / 20)}`,
    transcript_path: "/nowhere.jsonl",
    cwd: server.workspace,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls -la", description: "See what is there" },
    tool_use_id: `toolu_${calls}`,
  };
}

async function end(node: string, args: readonly string[], stdin: string): Promise<string> {
  const child = spawn(node, args, { stdio: ["pipe", "pipe", "inherit"], env: {} });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  await once(child, "close");
  return stdout;
}

function post(url: string, body: object, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, agent }, (response) => {
      response.resume().once("end", resolve).once("error", reject);
    });
    sent.once("error", reject);
    sent.end(JSON.stringify(body));
  });
}
