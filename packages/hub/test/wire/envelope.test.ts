import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CLOSE } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import { FakeClock } from "../support/fake-clock.ts";
import { Client, type Frame, openServer, type TestServer } from "../support/open-server.ts";

interface Device extends Client {
  deviceId: string;
  hubDeviceId: string;
}

function frame(from: string, to: string, action: string, payload: unknown) {
  return { id: uuidv7(), from, to, action, payload };
}

async function register(
  server: TestServer,
  token: string,
  deviceType: string,
  deviceId: string = uuidv7(),
): Promise<Device> {
  const client = await Client.open(`${server.url}/ws`);
  client.send(frame(deviceId, "gateway", "register", { deviceType, token }));
  const registered = await client.next();
  assert.equal(registered.action, "registered", JSON.stringify(registered));
  return Object.assign(client, { deviceId, hubDeviceId: registered.payload?.hubDeviceId as string });
}

let requests = 0;
async function request(device: Device, method: string, params?: unknown): Promise<Record<string, unknown>> {
  const requestId = `r${++requests}`;
  device.send(frame(device.deviceId, device.hubDeviceId, "request", { requestId, method, params }));
  const response = await device.next((one) => one.action === "response" && one.payload?.requestId === requestId);
  return response.payload ?? {};
}

const asked = (one: Frame) => one.action === "exec-approval-request";

/** The four JSON messages of seed 001, in its order; undefined when the seeds aren't beside the repository. */
function seedMessages(): Record<string, unknown>[] | undefined {
  const seeds = fileURLToPath(new URL("../../../../../shared/seeds/001_7debdf5157d21ec0.txt", import.meta.url));
  if (!existsSync(seeds)) return undefined;
  const text = readFileSync(seeds, "utf8")
    .split("\n")
    .filter((line) => line !== "|")
    .join("\n");
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block]) =>
    JSON.parse((block ?? "").replace(/^\|/gm, "")),
  );
  return blocks.filter((block) => "action" in block);
}

test("seed 001's four messages, with our ids in their place", async (t) => {
  const messages = seedMessages();
  if (!messages) return t.skip("the seeds aren't beside the repository (../shared/seeds)");
  const [pushed, answer, success, error] = messages as [Frame, Frame, Frame, Frame];
  const server = await openServer(t);
  const client = await register(server, server.token, "client");
  const agent = await register(server, (await server.makeToken("agent")).token, "agent");
  const session = pushed.payload?.agentId as string;
  const proposal = request(agent, "proposeExec", { command: pushed.payload?.command, cwd: server.workspace, session });
  const request1 = await client.next(asked);
  const { approvalId, expiresAtMs } = request1.payload as { approvalId: string; expiresAtMs: number };
  const ours = { approvalId, expiresAtMs, cwd: server.workspace };
  assert.deepEqual(Object.keys(request1).sort(), Object.keys(pushed).sort());
  assert.deepEqual([request1.from, request1.to], [client.hubDeviceId, client.deviceId]);
  const seedFields = Object.fromEntries(Object.keys(pushed.payload ?? {}).map((key) => [key, request1.payload?.[key]]));
  assert.deepEqual(seedFields, { ...pushed.payload, ...ours });

  const withOurIds = (template: Frame): Frame => ({
    ...template,
    from: client.deviceId,
    to: client.hubDeviceId,
    payload: { ...template.payload, params: { approvalId, decision: "deny" } },
  });
  client.send(withOurIds(answer));
  const answered = await client.next((one) => one.action === "response");
  assert.deepEqual(answered.payload, success.payload);
  client.send({ ...withOurIds(answer), id: uuidv7() });
  const again = await client.next((one) => one.action === "response");
  assert.deepEqual(again.payload, error.payload);
  assert.equal(((await proposal).payload as { kind: string }).kind, "denied");
});

test("a proposal through one door is answered through another, and everyone else is told who answered", async (t) => {
  const server = await openServer(t);
  const phone = await register(server, server.token, "client");
  const desk = await register(server, (await server.makeToken("approver", "bob")).token, "client");
  const agent = await register(server, (await server.makeToken("agent", "codex")).token, "agent");
  const proposal = request(agent, "proposeExec", { command: "touch made", cwd: server.workspace, reason: "a file" });
  const card = await phone.next(asked);
  assert.deepEqual((await desk.next(asked)).payload, card.payload);
  assert.equal(card.payload?.agentName, "codex");
  assert.equal(card.payload?.reason, "a file");
  const { approvalId } = card.payload as { approvalId: string };
  assert.deepEqual(await request(desk, "resolveExecApproval", { approvalId, decision: "allow-once" }), {
    requestId: `r${requests}`,
    ok: true,
    payload: { ok: true },
  });
  const resolved = await phone.next((one) => one.action === "exec-approval-resolved");
  assert.deepEqual(resolved.payload, { approvalId, decision: "allow-once", by: "person", name: "bob" });
  const outcome = (await proposal).payload as { kind: string; by: string };
  assert.deepEqual([outcome.kind, outcome.by], ["exited", "person"]);
  assert.equal(agent.unread.length, 0, "an agent hears nothing but its answers");
});

test("an approver that comes later gets what waits; an observer sees it, and doesn't count as reached", async (t) => {
  const server = await openServer(t);
  const agent = await register(server, (await server.makeToken("agent")).token, "agent");
  const proposals = Array.from({ length: 250 }, (_, index) => {
    return request(agent, "proposeExec", {
      command: `touch f${index}`,
      cwd: server.workspace,
      session: `s${index % 10}`,
    });
  });
  while (server.hub.approvals.pending < 250) await new Promise((resolve) => setImmediate(resolve));
  const observer = await register(server, (await server.makeToken("observer")).token, "client");
  for (let index = 0; index < 250; index += 1) await observer.next(asked);
  const undelivered = async () => {
    const store = server.hub.approvals;
    return (await store.list({ limit: 1 }, { role: "observer" })).length;
  };
  assert.equal(await undelivered(), 1);
  const approver = await register(server, server.token, "client");
  const ids = new Set<string>();
  for (let index = 0; index < 250; index += 1) ids.add((await approver.next(asked)).payload?.approvalId as string);
  assert.equal(ids.size, 250);
  await server.close();
  await Promise.allSettled(proposals);
});

test("requests that can't be answered: a clear code each, nothing run", async (t) => {
  const server = await openServer(t);
  const client = await register(server, server.token, "client");
  const code = async (method: string, params: unknown) =>
    ((await request(client, method, params)).error as { code: string }).code;
  assert.equal(await code("nope", {}), "METHOD_NOT_FOUND");
  assert.equal(await code("constructor", {}), "METHOD_NOT_FOUND");
  assert.equal(await code("__proto__", {}), "METHOD_NOT_FOUND");
  assert.equal(await code("resolveExecApproval", {}), "INVALID_PARAMS");
  assert.equal(await code("resolveExecApproval", { approvalId: 7, decision: "deny" }), "INVALID_PARAMS");
  assert.equal(await code("resolveExecApproval", { approvalId: "x", decision: "maybe" }), "INVALID_PARAMS");
  assert.equal(await code("resolveExecApproval", { approvalId: "x", decision: "deny" }), "NOT_FOUND");
  assert.equal(await code("getExecApproval", { approvalId: "x" }), "NOT_FOUND");
  assert.equal(await code("proposeExec", { command: "" }), "INVALID_PARAMS");
  assert.equal(await code("proposeExec", { command: "ls", scope: {} }), "INVALID_PARAMS");

  const sendErrors: [object | string, string][] = [
    ["{", "INVALID_MESSAGE"],
    ["[]", "INVALID_MESSAGE"],
    [{ ...frame(client.deviceId, client.hubDeviceId, "request", {}), id: "not-a-uuid" }, "INVALID_MESSAGE"],
    [frame("someone-else", client.hubDeviceId, "request", { requestId: "a", method: "getHubInfo" }), "INVALID_MESSAGE"],
    [frame(client.deviceId, "absent", "request", { requestId: "b", method: "getHubInfo" }), "DEVICE_NOT_FOUND"],
    [frame(client.deviceId, client.hubDeviceId, "exec-approval-request", {}), "INVALID_MESSAGE"],
    [frame(client.deviceId, "gateway", "register", { deviceType: "client", token: server.token }), "INVALID_MESSAGE"],
    [frame(client.deviceId, client.hubDeviceId, "request", { method: "getHubInfo" }), "INVALID_MESSAGE"],
  ];
  for (const [sent, expected] of sendErrors) {
    client.send(sent);
    const error = await client.next((one) => one.action === "send-error");
    assert.equal(error.payload?.code, expected, JSON.stringify(sent));
    const readable = typeof sent === "object" && (sent as { id: string }).id !== "not-a-uuid";
    assert.equal(error.payload?.messageId, readable ? (sent as { id: string }).id : undefined);
  }
  assert.deepEqual(await server.hub.state().then(({ today }) => today), {});
});

test("a requestId that is under way isn't taken twice", async (t) => {
  const server = await openServer(t);
  const client = await register(server, server.token, "client");
  const propose = frame(client.deviceId, client.hubDeviceId, "request", {
    requestId: "same",
    method: "proposeExec",
    params: { command: "touch made", cwd: server.workspace },
  });
  client.send(propose);
  await client.next(asked);
  client.send({ ...propose, id: uuidv7() });
  assert.equal((await client.next((one) => one.action === "send-error")).payload?.code, "INVALID_MESSAGE");
  assert.equal(server.hub.approvals.pending, 1);
});

test("nothing is sent to a socket before it has shown a valid token", async (t) => {
  const server = await openServer(t, { loginMs: 200 });
  const firsts: (object | string | Buffer)[] = [
    "{",
    frame("d", "gateway", "request", {}),
    frame("d", "gateway", "register", { deviceType: "client", token: "wrong" }),
    frame("d", "gateway", "register", { deviceType: "client" }),
    frame("d", "elsewhere", "register", { deviceType: "client", token: server.token }),
  ];
  for (const first of firsts) {
    const client = await Client.open(`${server.url}/ws`);
    client.send(first as object);
    assert.equal((await client.closed).code, CLOSE.unauthorized);
    assert.deepEqual(client.unread, []);
  }
  const silent = await Client.open(`${server.url}/ws`);
  assert.equal((await silent.closed).code, CLOSE.unauthorized);
  // Where there's time: what it sends may come later than somebody has to show a token above.
  const binary = await Client.open(`${(await openServer(t)).url}/ws`);
  binary.socket.send(Buffer.from("{}"));
  assert.equal((await binary.closed).code, CLOSE.badFrame);
});

test("deviceType follows from the role, and a device belongs to the token that first used it", async (t) => {
  const server = await openServer(t);
  const { token: agentToken } = await server.makeToken("agent");
  const { token: hubToken } = await server.makeToken("hub");
  const mine = await register(server, server.token, "client", "my-device");
  for (const [token, deviceType, deviceId] of [
    [agentToken, "client", uuidv7()],
    [server.token, "agent", uuidv7()],
    [server.token, "hub", uuidv7()],
    [hubToken, "hub", uuidv7()],
    [agentToken, "agent", "my-device"],
    [server.token, "client", mine.hubDeviceId],
    [server.token, "client", "gateway"],
  ] as const) {
    const client = await Client.open(`${server.url}/ws`);
    client.send(frame(deviceId, "gateway", "register", { deviceType, token }));
    assert.equal((await client.next()).payload?.code, "INVALID_MESSAGE", `${deviceType} ${deviceId}`);
    assert.equal((await client.closed).code, CLOSE.unauthorized);
  }
  await register(server, server.token, "client", "my-device");
  assert.equal((await mine.closed).code, CLOSE.replaced);
});

test("a revoked token's connections are cut, and it can't come back", async (t) => {
  const server = await openServer(t);
  const { id, token } = await server.makeToken("observer");
  const client = await register(server, token, "client");
  assert.equal((await server.api("DELETE", `/api/v1/tokens/${id}`)).status, 200);
  assert.equal((await client.closed).code, CLOSE.unauthorized);
  const again = await Client.open(`${server.url}/ws`);
  again.send(frame("d", "gateway", "register", { deviceType: "client", token }));
  assert.equal((await again.closed).code, CLOSE.unauthorized);

  const agent = await server.makeToken("agent");
  const waiting = server.api("POST", "/api/v1/exec", { command: "touch made", cwd: server.workspace }, agent.token);
  while (server.hub.approvals.pending < 1) await new Promise((resolve) => setImmediate(resolve));
  await server.api("DELETE", `/api/v1/tokens/${agent.id}`);
  assert.equal(((await waiting).body as { reason: string }).reason, "The token was revoked");
});

test("verify recomputes the ledger's chain", async (t) => {
  const server = await openServer(t);
  const client = await register(server, server.token, "client");
  await server.api("POST", "/api/v1/exec", { command: "ls", cwd: server.workspace });
  const entries = await server.readLedger();
  const head = { seq: entries.length, hash: entries.at(-1)?.hash };
  assert.deepEqual((await request(client, "verify", {})).payload, { whole: true, count: entries.length, head });
});

test("a foreign Host or Origin doesn't get a socket", async (t) => {
  const server = await openServer(t);
  const port = new URL(server.url).port;
  for (const headers of [
    { host: `evil.example:${port}` },
    { origin: "http://evil.example" },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { origin: "null" },
  ]) {
    for (const path of ["/ws", "/"]) await assert.rejects(Client.open(server.url + path, { headers }), /403/);
  }
  await assert.rejects(Client.open(`${server.url}/other`), /404/);
  const own = await Client.open(`${server.url}/ws`, { headers: { origin: server.url } });
  own.socket.terminate();
});

test("of one address so many wait without a token: the one that waits longest goes, and who has shown one stays", async (t) => {
  const server = await openServer(t, { strangersPerAddress: 2 });
  const known = await register(server, server.token, "client");
  const [first, second, third] = [
    await Client.open(`${server.url}/ws`),
    await Client.open(`${server.url}/`),
    await Client.open(`${server.url}/ws`),
  ];
  const { code, reason } = (await first?.closed) ?? {};
  assert.deepEqual([code, /strangersPerAddress/.test(reason ?? "")], [CLOSE.rateLimited, true]);
  second?.send({ type: "auth", token: server.token });
  assert.equal((await second?.next())?.ok, true);
  const fourth = await Client.open(`${server.url}/`);
  third?.socket.terminate();
  fourth.send({ type: "auth", token: server.token });
  assert.equal((await fourth.next()).ok, true);
  assert.ok((await request(known, "getHubInfo", {})).payload);
});

test("too many frames and too large frames are closed with their codes", async (t) => {
  const server = await openServer(t, { frameBurst: 20, framesPerSecond: 1 });
  const noisy = await register(server, server.token, "client");
  for (let index = 0; index < 30; index += 1) noisy.send("{");
  assert.equal((await noisy.closed).code, CLOSE.rateLimited);
  const large = await register(server, server.token, "client");
  large.send(`"${"x".repeat(1024 * 1024 + 1)}"`);
  assert.equal((await large.closed).code, 1009);
});

test("a reader that doesn't read is closed, and one that comes later still gets everything", async (t) => {
  const server = await openServer(t, { sendBufferBytes: 300_000, pendingPerSession: 100 });
  const deaf = await register(server, server.token, "client");
  deaf.socket.pause();
  const agent = await register(server, (await server.makeToken("agent")).token, "agent");
  const count = 100;
  const proposals = Array.from({ length: count }, (_, index) => {
    const command = `touch ${"x".repeat(120_000)}${index}`;
    return request(agent, "proposeExec", { command, cwd: server.workspace, session: "s" });
  });
  while (server.hub.approvals.pending < count) await new Promise((resolve) => setImmediate(resolve));
  const late = await register(server, server.token, "client");
  for (let index = 0; index < count; index += 1) await late.next(asked);
  deaf.socket.resume();
  assert.ok([CLOSE.tooSlow, 1006].includes((await deaf.closed).code));
  await server.close();
  await Promise.allSettled(proposals);
});

test("an agent whose socket is cut is withdrawn after the return time", async (t) => {
  const server = await openServer(t, { returnMs: 20 });
  const agent = await register(server, (await server.makeToken("agent")).token, "agent");
  const client = await register(server, server.token, "client");
  void request(agent, "proposeExec", { command: "touch made", cwd: server.workspace });
  const { approvalId } = (await client.next(asked)).payload as { approvalId: string };
  agent.socket.terminate();
  const resolved = await client.next((one) => one.action === "exec-approval-resolved");
  assert.deepEqual(resolved.payload, { approvalId, by: "cancelled", reason: "The agent went away" });
  assert.equal(existsSync(join(server.workspace, "made")), false);
});

test("a half-open socket is found by its silence, and others are unaffected", async (t) => {
  const clock = new FakeClock();
  const server = await openServer(t, {}, clock);
  const [silent, alive] = [
    await register(server, server.token, "client"),
    await register(server, server.token, "client"),
  ];
  silent.socket.pause();
  for (let minute = 0; minute < 3; minute += 1) {
    const ponged = new Promise((resolve) => alive.socket.once("ping", resolve));
    clock.advance(30_000);
    await ponged;
    // The pong is on its way: one answered request later it has come.
    await request(alive, "getHubInfo", {});
  }
  silent.socket.resume();
  assert.equal((await silent.closed).code, 1006);
  assert.equal((await request(alive, "getHubInfo", {})).ok, true);
});

test("a revoked token acts no more: not with frames after the cut, not with a body that was on its way", async (t) => {
  const server = await openServer(t);
  const stubborn = await server.makeToken("approver", "mallory");
  const client = await register(server, stubborn.token, "client");
  const { port } = new URL(server.url);
  const upload = connect(Number(port), "127.0.0.1");
  const body = JSON.stringify({ role: "approver", name: "back door" });
  const head = `POST /api/v1/tokens HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${stubborn.token}\r\n`;
  upload.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  // An answer on another connection shows that the server has read the head by now.
  await server.api("GET", "/api/v1/state");
  await server.api("DELETE", `/api/v1/tokens/${stubborn.id}`);
  // As a peer that ignores the close frame would.
  client.socket.send(
    JSON.stringify(frame(client.deviceId, client.hubDeviceId, "request", { requestId: "late", method: "pause" })),
  );
  upload.write(body.slice(5));
  const [answer] = (await once(upload, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 403/);
  upload.destroy();
  assert.equal((await client.closed).code, CLOSE.unauthorized);
  assert.equal((await server.hub.state()).paused, null);
  assert.equal(((await server.api("GET", "/api/v1/tokens")).body as unknown[]).length, 1);
});

test("cards too large for a page hide none after them", async (t) => {
  const server = await openServer(t, { frameBytes: 400_000 });
  const client = await register(server, server.token, "client");
  const proposals = ["y", "x".repeat(120_000), "x".repeat(120_000), "z"].map((name) => {
    return server.api("POST", "/api/v1/exec", { command: `touch ${name}`, cwd: server.workspace });
  });
  while (server.hub.approvals.pending < 4) await new Promise((resolve) => setImmediate(resolve));
  const listed: string[] = [];
  for (let after: string | undefined; ; ) {
    const { payload } = await request(client, "listExecApprovals", { after, limit: 2 });
    const page = payload as { approvals: { approvalId: string }[]; next?: string };
    listed.push(...page.approvals.map(({ approvalId }) => approvalId));
    if (page.next === undefined) break;
    after = page.next;
  }
  assert.equal(new Set(listed).size, 4);
  await server.close();
  await Promise.allSettled(proposals);
});

test("a question that nobody answers expires for everyone who saw it", async (t) => {
  const clock = new FakeClock();
  const server = await openServer(t, {}, clock);
  mkdirSync(join(server.home.profiles, "default"), { recursive: true });
  writeFileSync(join(server.home.profiles, "default", "config.json"), '{"execApproval":{"timeoutMs":5000}}');
  const client = await register(server, server.token, "client");
  const proposal = server.api("POST", "/api/v1/exec", { command: "touch made", cwd: server.workspace });
  const { approvalId } = (await client.next(asked)).payload as { approvalId: string };
  // One answered request later the delivery is noted.
  await request(client, "getExecApproval", { approvalId });
  clock.advance(5_000);
  const expired = await client.next((one) => one.action === "exec-approval-expired");
  assert.deepEqual(expired.payload, { approvalId, by: "timeout" });
  assert.equal(((await proposal).body as { kind: string }).kind, "expired");
  const late = await request(client, "resolveExecApproval", { approvalId, decision: "allow-once" });
  assert.equal((late.error as { code: string }).code, "NOT_FOUND");
});
