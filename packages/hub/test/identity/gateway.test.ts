import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS, type Limits, silentLog } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { CLOSE } from "@countersign/protocol/proposals";
import { GatewayClient, GatewayError } from "@countersign/sdk";
import WebSocket from "ws";
import { startGateway } from "../../src/gateway/gateway.ts";
import { openHubKey } from "../../src/identity/hub-key.ts";
import { serve } from "../../src/serve.ts";
import { frame, openHubBehind, RemoteClient } from "../support/gateway-fixture.ts";
import { Client } from "../support/open-server.ts";

const withCode = (code: string) => (error: unknown) => error instanceof GatewayError && error.code === code;
const refusedToStart = (code: string) => (error: unknown) => error instanceof StartError && error.code === code;

async function openGateway(
  t: TestContext,
  limits: Partial<Limits> = {},
  more: { port?: number; hubKey?: string } = {},
) {
  const gateway = await startGateway({ log: silentLog, port: 0, limits: { ...DEFAULT_LIMITS, ...limits }, ...more });
  t.after(() => gateway.close());
  return gateway;
}

test("proposed at the hub's own door, approved through the gateway; another client is told who it was", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token });
  const bob = new RemoteClient(t, { url: gateway.url, token: (await hub.makeToken("approver", "bob")).token });
  const [registered] = await Promise.all([alice.client.connect(), bob.client.connect()]);
  assert.equal(registered.hubDeviceId, hub.served.hub.deviceId);
  const outcome = hub.propose("touch made");
  const card = await bob.card("touch made");
  assert.deepEqual(await alice.card("touch made"), card);
  assert.deepEqual(await bob.answer(card.approvalId, "allow-once"), { ok: true });
  assert.deepEqual((await outcome).kind, "exited");
  assert.ok(existsSync(join(hub.workspace, "made")));
  assert.deepEqual((await alice.message("exec-approval-resolved")).payload, {
    approvalId: card.approvalId,
    decision: "allow-once",
    by: "person",
    name: "bob",
  });
  await assert.rejects(alice.answer(card.approvalId, "deny"), withCode("NOT_FOUND"));
});

test("an agent behind the gateway proposes, and can't decide; a large outcome fits", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const { token } = await hub.makeToken("agent", "codex");
  const agent = new RemoteClient(t, { url: gateway.url, token, deviceType: "agent" });
  const person = new RemoteClient(t, { url: gateway.url, token: hub.token });
  await Promise.all([agent.client.connect(), person.client.connect()]);
  const command = "touch made; head -c 1200000 /dev/zero | tr '\\0' x";
  const outcome = agent.client.request(agent.hub, "proposeExec", { command, cwd: hub.workspace });
  const { approvalId, agentName } = await person.card(command);
  assert.equal(agentName, "codex");
  await assert.rejects(agent.answer(approvalId, "allow-once"), withCode("UNAUTHORIZED"));
  await person.answer(approvalId, "allow-once");
  const { kind, stdout = "", truncated } = await outcome;
  assert.deepEqual([kind, truncated], ["exited", true]);
  assert.ok(stdout.length > 500_000);
  assert.deepEqual(agent.heard, [], "an agent hears nothing but its answers");
  const huge = { command: "ls", reason: "x".repeat(1_000_000) };
  await assert.rejects(agent.client.request(agent.hub, "proposeExec", huge), withCode("LIMIT"));
});

test("an agent whose connection to the gateway is cut is withdrawn after the return time", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url, { limits: { returnMs: 20 } });
  await hub.registered();
  const { token } = await hub.makeToken("agent");
  const agent = new RemoteClient(t, { url: gateway.url, token, deviceType: "agent" });
  const person = new RemoteClient(t, { url: gateway.url, token: hub.token });
  await Promise.all([agent.client.connect(), person.client.connect()]);
  const outcome = agent.client.request(agent.hub, "proposeExec", { command: "touch made", cwd: hub.workspace });
  const { approvalId } = await person.card("touch made");
  agent.client.disconnect();
  await assert.rejects(outcome, withCode("DISCONNECTED"));
  const { payload } = await person.message("exec-approval-resolved");
  assert.deepEqual(payload, { approvalId, by: "cancelled", reason: "The agent went away" });
});

test("the gateway restarts: hub and client come back, and what waits is replayed", async (t) => {
  const gateway = await openGateway(t);
  const port = Number(new URL(gateway.url).port);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token });
  await alice.client.connect();
  await gateway.close();
  await alice.until(() => alice.client.state === "reconnecting");
  const outcome = hub.propose("touch made");
  while (hub.served.hub.approvals.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  await openGateway(t, {}, { port });
  const { approvalId } = await alice.card("touch made");
  await alice.answer(approvalId, "deny");
  assert.equal((await outcome).kind, "denied");
});

test("the hub restarts: the gateway sends everyone home, and they find the same hub again", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token });
  const { hubDeviceId } = await alice.client.connect();
  const waiting = hub.propose("touch one");
  await alice.card("touch one");
  await hub.restart();
  assert.match(JSON.stringify(await waiting), /stays open/);
  assert.deepEqual(
    alice.heard.map(({ action }) => action),
    ["exec-approval-request", "ledger-checkpoint"],
    "also what the hub said last; the approval stays open",
  );
  await alice.until(() => alice.states.filter(({ state }) => state === "connected").length === 2);
  assert.equal(alice.client.hubDeviceId, hubDeviceId);
  const outcome = hub.propose("touch two");
  await alice.answer((await alice.card("touch two")).approvalId, "allow-once");
  assert.equal((await outcome).kind, "exited");
});

test("who can't be taken: a wrong token, a short one, no hub, a token in clear, a revoked one", async (t) => {
  const gateway = await openGateway(t);
  const token = "cs_nobody-has-given-this-token-to-anyone";
  const early = new RemoteClient(t, { url: gateway.url, token });
  await assert.rejects(early.client.connect(), withCode("DEVICE_NOT_FOUND"));
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  await assert.rejects(early.client.connect(), withCode("UNAUTHORIZED"));
  assert.equal(early.client.state, "closed");
  const url = gateway.url;
  const short = () => new GatewayClient({ url, token: "password", deviceType: "client", relay: true });
  assert.throws(short, withCode("INVALID_PARAMS"));
  const plain = new GatewayClient({ url, token: hub.token, deviceType: "client" });
  await assert.rejects(plain.connect(), withCode("UNAUTHORIZED"));

  const { id, token: observers } = await hub.makeToken("observer");
  const observer = new RemoteClient(t, { url, token: observers });
  await observer.client.connect();
  await hub.revokeToken(id);
  await observer.until(() => observer.client.state === "closed");
  assert.equal(observer.states.at(-1)?.code, "UNAUTHORIZED");
  await assert.rejects(observer.client.connect(), withCode("UNAUTHORIZED"));
});

test("wrong tokens of one device are slowed down, whatever they are", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const codes: string[] = [];
  while (codes.at(-1) !== "LIMIT" && codes.length < 50) {
    const token = `cs_wrong-token-number-${codes.length}-of-nobody-at-all`;
    const { client } = new RemoteClient(t, { url: gateway.url, token, deviceId: "phone" });
    codes.push(
      await client.connect().then(
        () => "connected",
        (error) => error.code,
      ),
    );
  }
  assert.ok(codes.length > 5);
  assert.deepEqual(new Set(codes), new Set(["UNAUTHORIZED", "LIMIT"]));
});

test("a device's place: its own newer connection takes it, a stranger's doesn't", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const first = new RemoteClient(t, { url: gateway.url, token: hub.token, deviceId: "phone" });
  await first.client.connect();
  const { token } = await hub.makeToken("approver", "mallory");
  for (const deviceId of ["phone", "gateway", first.hub]) {
    const stranger = new RemoteClient(t, { url: gateway.url, token, deviceId });
    await assert.rejects(stranger.client.connect(), withCode("UNAUTHORIZED"), deviceId);
  }
  assert.equal(first.client.state, "connected");
  const second = new RemoteClient(t, { url: gateway.url, token: hub.token, deviceId: "phone" });
  await second.client.connect();
  await first.until(() => first.client.state === "closed");
  assert.equal(first.states.at(-1)?.code, "REPLACED");
  assert.equal((await second.client.request(second.hub, "getHubInfo", {})).hubDeviceId, second.hub);
});

test("only the key that was given, or came first, is the hub's", async (t) => {
  const gateway = await openGateway(t);
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const key = await openHubKey(hub.served.home);
  assert.equal(hub.served.hubKey, key.publicKey);
  assert.equal(statSync(join(hub.served.home.keys, "hub.key")).mode & 0o777, 0o600);
  assert.match(readFileSync(join(hub.served.home.keys, "hub.key"), "utf8"), /^-----BEGIN PRIVATE KEY-----/);
  const hubId = hub.served.hub.deviceId;
  const other = "A".repeat(43);

  const impostor = await Client.open(gateway.url);
  impostor.send(frame(hubId, "gateway", "register", { deviceType: "hub", relay: true, hubKey: other }));
  assert.equal((await impostor.closed).code, CLOSE.unauthorized);
  const unproved = await Client.open(gateway.url);
  unproved.send(frame(hubId, "gateway", "register", { deviceType: "hub", relay: true, hubKey: key.publicKey }));
  assert.equal((await unproved.next()).action, "relay-challenge");
  unproved.send(frame(hubId, "gateway", "relay-proof", { signature: "A".repeat(86) }));
  assert.equal((await unproved.closed).code, CLOSE.unauthorized);
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token });
  await alice.client.connect();

  const pinned = await openGateway(t, {}, { hubKey: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
  const wrong = await Client.open(pinned.url);
  wrong.send(frame(hubId, "gateway", "register", { deviceType: "hub", relay: true, hubKey: key.publicKey }));
  assert.equal((await wrong.closed).code, CLOSE.unauthorized);
  await assert.rejects(openGateway(t, {}, { hubKey: "nonsense" }), refusedToStart("CONFIG_INVALID"));
});

test("at the gateway: a clear code for each frame that isn't relayed, and a bound on everything", async (t) => {
  const gateway = await openGateway(t, { loginMs: 2_000, frameBurst: 20, framesPerSecond: 1, webSockets: 8 });
  const hub = await openHubBehind(t, gateway.url);
  await hub.registered();
  const hubId = hub.served.hub.deviceId;
  const claim = "A".repeat(43);
  const client = await Client.open(gateway.url);
  const refusals: [object | string, string][] = [
    ["{", "INVALID_MESSAGE"],
    [frame("d", hubId, "sealed", {}), "NOT_REGISTERED"],
  ];
  for (const [sent, code] of refusals) {
    client.send(sent);
    assert.equal((await client.next()).payload?.code, code);
  }
  client.send(frame("d", "gateway", "register", { deviceType: "client", relay: true, claim }));
  assert.deepEqual((await client.next()).payload, { ok: true, deviceId: "d", hubDeviceId: hubId });
  const after: [object | string, string][] = [
    ["[]", "INVALID_MESSAGE"],
    [frame("e", hubId, "relay-hello", {}), "INVALID_MESSAGE"],
    [frame("d", "e", "relay-hello", {}), "DEVICE_NOT_FOUND"],
    [frame("d", hubId, "exec-approval-request", {}), "INVALID_MESSAGE"],
    [frame("d", hubId, "request", { requestId: "r", method: "getHubInfo" }), "INVALID_MESSAGE"],
    [frame("d", hubId, "sealed", { seq: 1, box: "AAAA" }), "INVALID_MESSAGE"],
    [frame("d", hubId, "relay-hello", { keyHint: "x".repeat(3_000) }), "INVALID_MESSAGE"],
  ];
  for (const [sent, code] of after) {
    client.send(sent);
    assert.equal((await client.next()).payload?.code, code, JSON.stringify(sent).slice(0, 200));
  }
  // Never welcomed, so it doesn't stay.
  assert.equal((await client.closed).code, CLOSE.unauthorized);
  const silent = await Client.open(gateway.url);
  assert.equal((await silent.closed).code, CLOSE.unauthorized);
  const noisy = await Client.open(gateway.url);
  for (let index = 0; index < 30; index += 1) noisy.send("{");
  assert.equal((await noisy.closed).code, CLOSE.rateLimited);
  const large = await Client.open(gateway.url);
  large.send(`"${"x".repeat(1024 * 1024 + 1)}"`);
  assert.equal((await large.closed).code, 1009);
  await assert.rejects(Client.open(gateway.url.replace("/ws", "/other")), /404/);
  const crowd = await Promise.allSettled(Array.from({ length: 12 }, () => Client.open(gateway.url)));
  assert.ok(crowd.some(({ status }) => status === "rejected"));
  const health = await fetch(gateway.url.replace("ws:", "http:").replace("/ws", "/healthz"));
  assert.deepEqual([health.status, await health.text()], [200, "ok\n"]);
});

test("more than a burst of approvals reaches a client through the gateway", async (t) => {
  const gateway = await openGateway(t, { frameBurst: 30, framesPerSecond: 30 });
  const hub = await openHubBehind(t, gateway.url, { limits: { pendingPerSession: 1_000, frameBurst: 10_000 } });
  await hub.registered();
  const outcomes = Array.from({ length: 150 }, (_, index) => hub.propose(`touch f${index}`));
  while (hub.served.hub.approvals.pending < 150) await new Promise((resolve) => setImmediate(resolve));
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token });
  await alice.client.connect();
  await alice.until(() => alice.cards().length === 150);
  assert.equal(alice.states.length, 2, "without losing the connection");
  await hub.served.close();
  await Promise.allSettled(outcomes);
});

test("a gateway in clear is only for this machine, and a short token isn't for any", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-gateway-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const options = { homeDir: join(scratch, "home"), cwd: scratch, port: 0, log: silentLog };
  for (const gateway of ["ws://example.com/ws", "http://127.0.0.1", "wss://user:pass@example.com", "nonsense", ""])
    await assert.rejects(serve({ ...options, gateway }), refusedToStart("CONFIG_INVALID"), gateway);
  const short = { ...options, gateway: "wss://example.com", token: "password" };
  await assert.rejects(serve(short), refusedToStart("TOKEN_INVALID"));
  await assert.rejects(startGateway({ log: silentLog, port: 0, host: "0.0.0.0" }), refusedToStart("PORT_REFUSED"));
  const first = await openGateway(t);
  const port = Number(new URL(first.url).port);
  await assert.rejects(openGateway(t, {}, { port }), refusedToStart("PORT_IN_USE"));
});

test("over TLS", async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-gateway-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const [cert, key] = [join(scratch, "cert.pem"), join(scratch, "key.pem")];
  const args = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=localhost", "-days", "1"];
  try {
    execFileSync("openssl", [...args, "-keyout", key, "-out", cert], { stdio: "ignore" });
  } catch {
    return t.skip("install openssl to run this");
  }
  const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  const gateway = await startGateway({ log: silentLog, port: 0, tls });
  t.after(() => gateway.close());
  assert.match(gateway.url, /^wss:/);
  const trusting = class extends WebSocket {
    constructor(url: string) {
      super(url, { rejectUnauthorized: false });
    }
  };
  const token = "cs_nobody-has-given-this-token-to-anyone";
  const client = new RemoteClient(t, { url: gateway.url, token, webSocket: trusting as never });
  await assert.rejects(client.client.connect(), withCode("DEVICE_NOT_FOUND"));
});
