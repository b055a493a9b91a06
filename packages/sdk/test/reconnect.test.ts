import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLOSE, type Envelope, GATEWAY } from "@countersign/protocol/proposals";
import { WebSocket as WsWebSocket } from "ws";
import { GatewayError } from "../src/errors/gateway-error.ts";
import type { ConnectionState } from "../src/gateway/connection.ts";
import { GatewayClient } from "../src/gateway/gateway-client.ts";
import { approval, GatewayFixture, HUB, TOKEN } from "./gateway-fixture.ts";

const withCode = (code: string) => (error: unknown) => error instanceof GatewayError && error.code === code;

/** Resolves when the client next gets into the state. */
function reaches(client: GatewayClient, wanted: ConnectionState): Promise<GatewayError | undefined> {
  return new Promise((resolve) => {
    const off = client.onStateChange((state, cause) => {
      if (state !== wanted) return;
      off();
      resolve(cause);
    });
  });
}

/** Approval ids as listeners get them, and a wait for the message with some action. */
function record(client: GatewayClient) {
  const heard: Envelope[] = [];
  client.onMessage((message) => heard.push(message));
  return {
    approvals: () =>
      heard
        .filter(({ action }) => action === "exec-approval-request")
        .map(({ payload }) => (payload as { approvalId: string }).approvalId),
    until: (action: string) =>
      new Promise<void>((resolve) => {
        const off = client.onMessage((message) => {
          if (message.action !== action) return;
          off();
          resolve();
        });
      }),
  };
}

async function start(t: TestContext) {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  const heard = record(client);
  const [peer] = await Promise.all([gateway.nextRegistered(), client.connect()]);
  return { gateway, client, heard, peer };
}

test("a cut connection comes back as the same device, and what was replayed isn't delivered twice", async (t) => {
  const gateway = await GatewayFixture.start(t);
  gateway.pending.set("a1", approval("a1"));
  const client = gateway.client(t);
  const heard = record(client);
  const states: ConnectionState[] = [];
  client.onStateChange((state) => states.push(state));
  await client.connect();

  for (const round of [1, 2, 3]) {
    const back = Promise.all([gateway.nextRegistered(), reaches(client, "connected")]);
    gateway.pending.set(`b${round}`, approval(`b${round}`));
    gateway.cut();
    const [peer] = await back;
    assert.equal(peer.deviceId, client.deviceId);
    const marked = heard.until("mark");
    peer.push("mark", {});
    await marked;
  }
  assert.deepEqual(heard.approvals(), ["a1", "b1", "b2", "b3"]);
  assert.deepEqual(states, ["connecting", "connected", ...Array(3).fill(["reconnecting", "connected"]).flat()]);
  const registrations = gateway.received.filter(({ action }) => action === "register");
  assert.deepEqual(new Set(registrations.map(({ from }) => from)), new Set([client.deviceId]));
});

test("an approval is handed on again once it was settled, and another sender's use of its id hides nothing", async (t) => {
  const { heard, peer } = await start(t);
  const push = (approvalId: string, from?: string) => peer.push("exec-approval-request", approval(approvalId), from);
  push("a1", "agent-7");
  push("a1");
  push("a1");
  peer.push("exec-approval-resolved", { approvalId: "a1", by: "person", decision: "deny" });
  push("a1");
  push("a2");
  peer.push("exec-approval-expired", { approvalId: "a2", by: "timeout" });
  push("a2");
  const marked = heard.until("mark");
  peer.push("mark", {});
  await marked;
  assert.deepEqual(heard.approvals(), ["a1", "a1", "a1", "a2", "a2"]);
});

test("what came while nobody listened comes with the next replay", async (t) => {
  const gateway = await GatewayFixture.start(t);
  gateway.pending.set("a1", approval("a1"));
  gateway.handlers.set("sync", (asked) => asked.answer(null));
  const client = gateway.client(t);
  await client.connect();
  await client.request(HUB, "sync");
  const heard = record(client);
  const arrived = heard.until("exec-approval-request");
  gateway.cut();
  await arrived;
  assert.deepEqual(heard.approvals(), ["a1"]);
});

test("requests under way reject with the connection and aren't repeated on the next", async (t) => {
  const { gateway, client } = await start(t);
  const asked = gateway.nextRequest();
  const answer = client.request(HUB, "resolveExecApproval", { approvalId: "a1", decision: "allow-once" });
  await asked;
  const back = reaches(client, "connected");
  gateway.cut();
  await assert.rejects(answer, withCode("DISCONNECTED"));
  await back;
  gateway.handlers.set("sync", (request) => request.answer(null));
  await client.request(HUB, "sync");
  const resolves = gateway.received.filter(({ payload }) => JSON.stringify(payload).includes("resolveExecApproval"));
  assert.equal(resolves.length, 1);
});

test("a server that is away and comes back is found again", async (t) => {
  const { gateway, client } = await start(t);
  const { port } = gateway;
  const lost = reaches(client, "reconnecting");
  await gateway.stop();
  assert.equal((await lost)?.code, "DISCONNECTED");
  // An attempt while nobody listens: it rejects, and the client goes on.
  await assert.rejects(client.connect(), withCode("DISCONNECTED"));
  assert.equal(client.state, "reconnecting");
  const back = reaches(client, "connected");
  await gateway.listen(port);
  await back;
});

test("a wrong token is refused once and not tried again", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const webSocket = countingWebSocket();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = gateway.client(t, { token: "wrong", webSocket });
  const closed = reaches(client, "closed");
  await assert.rejects(client.connect(), withCode("UNAUTHORIZED"));
  assert.equal((await closed)?.code, "UNAUTHORIZED");
  assert.doesNotMatch(String((await closed)?.stack), /wrong/);
  t.mock.timers.tick(3_600_000);
  assert.deepEqual([client.state, webSocket.opened], ["closed", 1]);
});

test("a token that is revoked later ends the reconnecting", async (t) => {
  const { gateway, client, peer } = await start(t);
  const closed = reaches(client, "closed");
  gateway.greet = (socket) => socket.close(CLOSE.unauthorized);
  peer.socket.terminate();
  assert.equal((await closed)?.code, "UNAUTHORIZED");
  assert.equal(gateway.attempts, 2);
});

test("a device whose place was taken doesn't fight for it", async (t) => {
  const { gateway, client, peer } = await start(t);
  const closed = reaches(client, "closed");
  peer.socket.close(CLOSE.replaced);
  assert.equal((await closed)?.code, "REPLACED");
  assert.equal(gateway.attempts, 1);
});

test("a registration that is refused with a reason is UNAUTHORIZED and tells the reason", async (t) => {
  const gateway = await GatewayFixture.start(t);
  gateway.greet = (socket) => {
    socket.send(frame("send-error", { code: "INVALID_MESSAGE", message: "This token registers as agent" }));
    socket.close(CLOSE.unauthorized);
  };
  const client = gateway.client(t);
  await assert.rejects(client.connect(), (error: unknown) => {
    assert.match(String(error), /This token registers as agent/);
    return withCode("UNAUTHORIZED")(error);
  });
  assert.equal(client.state, "closed");
});

test("a first attempt that fails rejects and isn't repeated; connect() may be called again", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  // What is refused without a close is told at the deadline.
  const impatient = gateway.client(t, { connectTimeoutMs: 1_000 });
  const untilDeadline = ["TIMEOUT", "INVALID_MESSAGE"];
  const refusals: [NonNullable<GatewayFixture["greet"]>, string][] = [
    [(socket) => socket.terminate(), "DISCONNECTED"],
    [(socket) => socket.close(CLOSE.rateLimited), "LIMIT"],
    [(socket) => socket.send("not json"), "TIMEOUT"],
    [
      (socket) => socket.send(frame("registered", { ok: true, deviceId: "other", hubDeviceId: HUB })),
      "INVALID_RESPONSE",
    ],
    [(socket) => socket.send(frame("send-error", { code: "INVALID_MESSAGE", message: "taken" })), "INVALID_MESSAGE"],
  ];
  for (const [greet, code] of refusals) {
    gateway.greet = greet;
    const tried = untilDeadline.includes(code) ? impatient : client;
    await assert.rejects(tried.connect(), withCode(code));
    assert.equal(tried.state, "disconnected");
  }
  assert.equal(gateway.attempts, refusals.length);
  gateway.greet = undefined;
  assert.equal((await client.connect()).hubDeviceId, HUB);
});

test("disconnect ends an attempt under way and the waiting for the next", async (t) => {
  const gateway = await GatewayFixture.start(t);
  gateway.greet = () => undefined;
  const webSocket = countingWebSocket();
  const client = gateway.client(t, { webSocket });
  const attempt = gateway.nextAttempt();
  const connecting = client.connect();
  connecting.catch(() => undefined);
  await attempt;
  client.disconnect();
  await assert.rejects(connecting, withCode("DISCONNECTED"));

  gateway.greet = undefined;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await client.connect();
  client.onStateChange((state) => state === "reconnecting" && client.disconnect());
  const over = reaches(client, "disconnected");
  gateway.cut();
  await over;
  t.mock.timers.tick(3_600_000);
  assert.deepEqual([client.state, webSocket.opened], ["disconnected", 2]);
});

test("a listener of the state may disconnect before the first attempt", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  client.onStateChange((state) => state === "connecting" && client.disconnect());
  await assert.rejects(client.connect(), withCode("DISCONNECTED"));
  assert.deepEqual([client.state, gateway.attempts], ["disconnected", 0]);
});

test("the WebSocket of `ws` can be given", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t, { webSocket: WsWebSocket });
  await client.connect();
  gateway.handlers.set("echo", (asked) => asked.answer(asked.params));
  assert.deepEqual(await client.request(HUB, "echo", { a: 1 }), { a: 1 });
  client.disconnect();
});

test("options that no gateway could take are refused, without the token in the error", () => {
  const make = (options: object) => () =>
    new GatewayClient({ url: "ws://127.0.0.1:1/ws", token: TOKEN, deviceType: "client", ...options });
  for (const options of [{ deviceId: "" }, { deviceId: "a\u202eb" }, { token: "" }, { deviceType: "root" }])
    assert.throws(make(options), withCode("INVALID_PARAMS"));
  assert.throws(make({ token: "s3cret".repeat(100) }), (error: unknown) => !String(error).includes("s3cret"));
});

/** Counts at once, where a server would only later see that nobody came. */
function countingWebSocket() {
  return class extends WebSocket {
    static opened = 0;
    constructor(url: string) {
      super(url);
      (this.constructor as unknown as { opened: number }).opened += 1;
    }
  };
}

function frame(action: string, payload: unknown): string {
  return JSON.stringify({ id: "1", from: GATEWAY, to: "any", action, payload });
}
