// `npm run bench:load`: thousands wait, and a thousand clients of each dialect come at once. The first argument is how many wait, the second how many clients.
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Told } from "./load-clients.ts";
import { percentile, timeAtOnce } from "./rounds.ts";
import { COMMANDS, residentMb, type Server, startServer, stopServer } from "./server-of-its-own.ts";

const WAITING = Number(process.argv[2] ?? 10_000);
const CLIENTS = Number(process.argv[3] ?? 1_000);
const EACH = 10;
const MAKING = 64;
const CLIENTS_FILE = fileURLToPath(new URL("load-clients.ts", import.meta.url));

/** Made by an earlier call, to be spared the making. */
const MADE = process.argv[4];

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
const home = join(scratch, "home");
try {
  if (MADE !== undefined) cpSync(MADE, home, { recursive: true });
  mkdirSync(join(home, "profiles/default"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "profiles/default/config.json"), JSON.stringify({ execApproval: { timeoutMs: 3_600_000 } }));
  let server = await startServer(COMMANDS.published, home);
  if (MADE === undefined) await propose(server);
  console.log(`${await pendingAt(server)} wait; ${residentMb(server)} MB resident`);
  server = await restart(server, "SIGKILL");
  for (const dialect of ["envelope", "rpc"] as const) await timeClients(server, dialect);
  server = await restart(server, "SIGTERM");
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function propose(server: Server): Promise<void> {
  let next = 0;
  await timeAtOnce(WAITING, MAKING, async () => {
    const index = next++;
    const session = `s${Math.floor(index / EACH)}`;
    const body = { command: `make target-${index}`, cwd: server.workspace, session, proposalId: `p${index}` };
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const response = await fetch(`${server.url}/api/v1/exec`, {
      method: "POST",
      headers: { ...headers, prefer: "respond-async" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  });
}

async function pendingAt(server: Server): Promise<number> {
  const response = await fetch(`${server.url}/api/v1/state`, { headers: { authorization: `Bearer ${server.token}` } });
  return ((await response.json()) as { pending: number }).pending;
}

async function restart(before: Server, signal: "SIGTERM" | "SIGKILL"): Promise<Server> {
  const ending = performance.now();
  if (signal === "SIGTERM") await stopServer(before);
  else {
    before.child.kill(signal);
    await once(before.child, "exit");
  }
  const began = performance.now();
  const server = await startServer(COMMANDS.published, home);
  const ready = await fetch(`${server.url}/readyz`);
  const ms = performance.now() - began;
  const pending = await pendingAt(server);
  const ended = signal === "SIGTERM" ? `, ${((began - ending) / 1000).toFixed(1)} s to end` : "";
  console.log(
    `after ${signal}${ended}: ready (${ready.status}) in ${(ms / 1000).toFixed(2)} s, ${pending} still wait, ${residentMb(server)} MB`,
  );
  return server;
}

async function timeClients(server: Server, dialect: "envelope" | "rpc"): Promise<void> {
  const clients = fork(CLIENTS_FILE, [server.url, server.token, dialect, String(CLIENTS), String(WAITING)]);
  let told: Told | undefined;
  clients.on("message", (message) => {
    told = message as Told;
  });
  const exited = once(clients, "exit");
  const healthMs: number[] = [];
  while (clients.exitCode === null) {
    const began = performance.now();
    const response = await fetch(`${server.url}/healthz`);
    await response.arrayBuffer();
    healthMs.push(performance.now() - began);
    await sleep(20);
  }
  await exited;
  if (!told) throw new Error("the clients ended without a word");
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1];
  const s = (ms: number) => (ms / 1000).toFixed(1);
  console.log(
    `${CLIENTS} ${dialect} clients: registered in ${s(told.registeredMs)} s, each with all that waits in ${s(told.completeMs)} s (${told.complete} of ${CLIENTS}, ${Math.round(told.bytes / 1e6)} MB)`,
  );
  console.log(`  closed by the hub: ${JSON.stringify(told.closed)}`);
  console.log(
    `  /healthz meanwhile: 99th ${percentile(healthMs, 0.99).toFixed(0)} ms, worst ${Math.max(...healthMs).toFixed(0)} ms; hub's peak ${Math.round(Number(peak) / 1000)} MB`,
  );
}
