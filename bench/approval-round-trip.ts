import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@countersign/store";
import WebSocket, { WebSocketServer } from "ws";
import { EnvelopeClient } from "./envelope-client.ts";
import { median } from "./rounds.ts";
import { scratchServer } from "./scratch-server.ts";

/** Short rounds in turn, so that what else the machine does hits both sides alike. */
const COUNT = 100;
const ROUNDS = 25;
/** Asked, delivered, settled: what one approval writes. */
const COMMITS = 3;

/** Proposed on one WebSocket, asked and answered on another, against an echo that commits as often. */
async function benchRoundTrip(): Promise<void> {
  const server = await scratchServer();
  const { token: agentToken } = await makeAgentToken(server);
  const echo = await startEcho();
  const ratios: number[] = [];
  const [own, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const echoMs = await timeEach(echo.call);
    const asking = await connect(server, agentToken);
    const ownMs = await timeEach(asking.roundTrip);
    asking.close();
    if (round === 0) continue;
    bare.push(echoMs);
    own.push(ownMs);
    ratios.push(ownMs / echoMs);
  }
  await echo.close();
  await server.remove();
  console.log(`approval round trip over two WebSockets, median of ${ROUNDS} rounds of ${COUNT}:`);
  console.log(`  echo with ${COMMITS} durable commits ${median(bare).toFixed(3)} ms`);
  console.log(
    `  propose, ask, answer, outcome ${median(own).toFixed(3)} ms, ${median(ratios).toFixed(2)}× the echo (to reach: ≤ 3×)`,
  );
}

/** An agent and an approver. New ones for each round: a client that sends more than a burst is cut off. */
async function connect(
  server: { url: string; token: string; workspace: string },
  agentToken: string,
): Promise<{ roundTrip(): Promise<void>; close(): void }> {
  const approver = await EnvelopeClient.register(server.url, server.token, "client");
  const agent = await EnvelopeClient.register(server.url, agentToken, "agent");
  approver.onFrame = ({ action, payload }) => {
    if (action === "exec-approval-request")
      approver.request("resolveExecApproval", { approvalId: payload.approvalId, decision: "deny" });
  };
  return {
    roundTrip: () =>
      new Promise<void>((resolve) => {
        agent.onFrame = () => resolve();
        agent.request("proposeExec", { command: "make all", cwd: server.workspace });
      }),
    close() {
      approver.close();
      agent.close();
    },
  };
}

async function timeEach(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < COUNT; index += 1) await work();
  return (performance.now() - started) / COUNT;
}

async function makeAgentToken(server: { url: string; token: string }): Promise<{ token: string }> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ role: "agent", name: "bench" });
  return (await (await fetch(`${server.url}/api/v1/tokens`, { method: "POST", headers, body })).json()) as {
    token: string;
  };
}

async function startEcho(): Promise<{ call(): Promise<void>; close(): Promise<void> }> {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-echo-"));
  const store = await openSqliteStore(join(scratch, "echo.db"));
  const echo = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => echo.once("listening", resolve));
  const draft = { type: "decided", sessionId: "s", proposalKey: "k", atMs: 1, body: { verdict: "deny" } } as const;
  echo.on("connection", (socket) => {
    socket.on("message", async (data) => {
      for (let index = 0; index < COMMITS; index += 1) await store.commit([{ op: "append", draft }]);
      socket.send(data);
    });
  });
  const client = new WebSocket(`ws://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  await new Promise((resolve) => {
    client.once("open", resolve);
  });
  return {
    call: () =>
      new Promise((resolve) => {
        client.once("message", () => resolve());
        client.send(JSON.stringify({ command: "make all" }));
      }),
    async close() {
      client.close();
      echo.close();
      await store.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

await benchRoundTrip();
process.exit(0);
