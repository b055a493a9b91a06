import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS, silentLog } from "@countersign/core/base";
import { WebSocket } from "ws";
import { startGateway } from "../../src/gateway/gateway.ts";
import { startServing, TOKEN } from "../support/serve-fixture.ts";

const SHORT = { headMs: 300, requestMs: 900 };

/** How long the other side leaves the connection open. */
async function openFor(t: TestContext, port: number, said: string): Promise<{ ms: number; answer: string }> {
  const fromMs = performance.now();
  const socket: Socket = connect(port, "127.0.0.1").setEncoding("utf8");
  t.after(() => socket.destroy());
  let answer = "";
  socket.on("data", (text) => {
    answer += text;
  });
  socket.on("error", () => undefined);
  if (said !== "") socket.write(said);
  await once(socket, "close");
  return { ms: performance.now() - fromMs, answer };
}

async function assertCloses(t: TestContext, port: number): Promise<void> {
  const silent = openFor(t, port, "");
  const half = openFor(t, port, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  for (const { ms } of await Promise.all([silent, half])) assert.ok(ms >= 250 && ms < 10_000, `${ms}`);
  assert.match((await half).answer, /^(HTTP\/1\.1 408 |$)/);
}

test("the hub closes silent connections, half-sent headers and half-sent bodies", async (t) => {
  assert.equal(DEFAULT_LIMITS.headMs, 10_000);
  const s = await startServing(t, { limits: SHORT });
  const port = Number(new URL(s.served.url).port);
  const body = `POST /api/v1/exec HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const halfBody = openFor(t, port, body);
  await assertCloses(t, port);
  assert.match((await halfBody).answer, /^HTTP\/1\.1 408 /);
});

test("the port closes connections past its limit, silent ones included, and takes others when these are gone", async (t) => {
  const s = await startServing(t, { limits: { portConnections: 2 } });
  const port = Number(new URL(s.served.url).port);
  const silent = Array.from({ length: 2 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  t.after(() => silent.forEach((socket) => void socket.destroy()));
  for (const socket of silent) await once(socket, "connect");
  assert.equal(await healthOf(port), "");
  for (const socket of silent) socket.destroy();
  // The hub hears of that in a moment.
  let answer = "";
  while (answer === "") answer = await healthOf(port);
  assert.match(answer, /^HTTP\/1\.1 200 /);
});

/** Empty when the connection was closed without a word. */
async function healthOf(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes;
  });
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

test("a body that stops coming has as long as headers, one that comes slowly as long as a request", async (t) => {
  const s = await startServing(t, { limits: { headMs: 500, requestMs: 600_000 } });
  const port = Number(new URL(s.served.url).port);
  const head = `POST /api/v1/exec HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
  const stopped = ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"];
  const slow = connect(port, "127.0.0.1").setEncoding("utf8");
  t.after(() => slow.destroy());
  const body = JSON.stringify({ command: "echo slow" });
  slow.write(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`);
  const sending = (async () => {
    // Longer in all than a body may stop.
    for (const letter of body) {
      slow.write(letter);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  })();
  for (const { answer } of await Promise.all(stopped.map((rest) => openFor(t, port, head + rest))))
    assert.match(answer, /^HTTP\/1\.1 408 /);
  const [[answer]] = await Promise.all([once(slow, "data"), sending]);
  assert.match(answer, /^HTTP\/1\.1 200 /);
});

test("the local socket closes connections that say nothing, or half a line", async (t) => {
  const s = await startServing(t, { limits: SHORT });
  for (const said of ["", '{"method":']) {
    const socket = connect(s.served.home.socket);
    t.after(() => socket.destroy());
    if (said !== "") socket.write(said);
    await once(socket.resume(), "close");
  }
});

test("an upgraded WebSocket and a request that waits for its answer stay open past the limits", async (t) => {
  const s = await startServing(t, { limits: SHORT, profile: { ask: "always" } });
  const socket = new WebSocket(new URL("/", s.served.url));
  t.after(() => socket.terminate());
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "auth", token: TOKEN }));
  await once(socket, "message");
  const proposed = s.propose("touch waits");
  const { approvalId } = await s.asked();
  const silent = await openFor(t, Number(new URL(s.served.url).port), "");
  assert.ok(silent.ms >= 250);
  const late = await openFor(t, Number(new URL(s.served.url).port), "GET / HTTP/1.1\r\n");
  assert.ok(late.ms >= 250);
  await openFor(t, Number(new URL(s.served.url).port), "");
  await openFor(t, Number(new URL(s.served.url).port), "");
  assert.equal(socket.readyState, WebSocket.OPEN);
  await s.decide(approvalId, "deny");
  assert.equal((await proposed).body.kind, "denied");
});

test("a gateway closes silent connections and half-sent headers", async (t) => {
  const limits = { ...DEFAULT_LIMITS, ...SHORT };
  const gateway = await startGateway({ log: silentLog, port: 0, limits });
  t.after(() => gateway.close());
  await assertCloses(t, Number(new URL(gateway.url).port));
});
