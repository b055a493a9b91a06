import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { type Envelope, GATEWAY, type Outcome } from "@countersign/protocol/proposals";
import type { MethodParams, ResolveExecApprovalResult } from "@countersign/protocol/wire";
import { GatewayError } from "../src/errors/gateway-error.ts";
import type { GatewayClient } from "../src/gateway/gateway-client.ts";
import { type Asked, approval, GatewayFixture, HUB } from "./gateway-fixture.ts";

const withCode = (code: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof GatewayError, String(error));
  assert.equal(error.code, code);
  if (message) assert.match(error.message, message);
  return true;
};

/** A connected client, and a way to ask without waiting for the answer. */
async function connected(t: TestContext): Promise<{ gateway: GatewayFixture; client: GatewayClient }> {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  await client.connect();
  return { gateway, client };
}

async function asking(gateway: GatewayFixture, ask: () => Promise<unknown>): Promise<[Asked, Promise<unknown>]> {
  const next = gateway.nextRequest();
  const answer = ask();
  // Looked at later; until then its rejection is no accident.
  answer.catch(() => undefined);
  return [await next, answer];
}

test("connect registers and names the hub; a request gives the inner payload", async (t) => {
  const { gateway, client } = await connected(t);
  assert.equal(client.hubDeviceId, HUB);
  assert.deepEqual(await client.connect(), { ok: true, deviceId: client.deviceId, hubDeviceId: HUB });
  assert.equal(gateway.attempts, 1, "a second connect() is the same connection");

  gateway.handlers.set("resolveExecApproval", (asked) => asked.answer({ ok: true, saved: ["rm **"] }));
  const params = { approvalId: "a1", decision: "allow-always" } as const;
  const result: ResolveExecApprovalResult = await client.request(HUB, "resolveExecApproval", params);
  assert.deepEqual(result, { ok: true, saved: ["rm **"] });
  const sent = gateway.received.at(-1);
  assert.match(sent?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(sent, {
    id: sent?.id,
    from: client.deviceId,
    to: HUB,
    action: "request",
    payload: { requestId: sent?.id, method: "resolveExecApproval", params },
  });
});

test("the hub's refusal is an error with its code and words", async (t) => {
  const { gateway, client } = await connected(t);
  gateway.handlers.set("getExecApproval", (asked) =>
    asked.refuse("NOT_FOUND", "Approval request not found or already resolved"),
  );
  await assert.rejects(
    client.request(HUB, "getExecApproval", { approvalId: "gone" }),
    withCode("NOT_FOUND", /^Approval request not found or already resolved$/),
  );
});

test("send-error rejects the request that it is about, by request id or message id, and no other", async (t) => {
  const { gateway, client } = await connected(t);
  const [, kept] = await asking(gateway, () => client.request(HUB, "getHubInfo", {}));
  await assert.rejects(client.request("nobody", "getHubInfo", {}), withCode("DEVICE_NOT_FOUND", /No nobody/));

  for (const key of ["requestId", "messageId"] as const) {
    const [asked, answer] = await asking(gateway, () => client.request(HUB, "x", {}));
    const id = key === "requestId" ? asked.requestId : asked.envelope.id;
    asked.peer.push("send-error", { code: "DEVICE_NOT_FOUND", message: "forged", [key]: id }, "agent-7");
    asked.peer.push("send-error", { code: "NOT_REGISTERED", message: "m", [key]: id }, GATEWAY);
    await assert.rejects(answer, withCode("NOT_REGISTERED"));
  }

  const [last, late] = await asking(gateway, () => client.request(HUB, "y", {}));
  last.answer("still whole");
  assert.equal(await late, "still whole");
  client.disconnect();
  await assert.rejects(kept, withCode("DISCONNECTED"));
});

test("a send-error about a plain send reaches the listeners", async (t) => {
  const { client } = await connected(t);
  const heard = Promise.withResolvers<Envelope>();
  client.onMessage(heard.resolve);
  const messageId = client.send("nobody", "hello", { any: "thing" });
  const { action, payload } = await heard.promise;
  assert.deepEqual(
    { action, payload },
    {
      action: "send-error",
      payload: { code: "DEVICE_NOT_FOUND", message: "No nobody", messageId },
    },
  );
});

test("a request times out, and its late answer is nobody's", async (t) => {
  const { gateway, client } = await connected(t);
  const [asked, answer] = await asking(gateway, () => client.request(HUB, "slow", {}, { timeoutMs: 5 }));
  await assert.rejects(answer, withCode("TIMEOUT"));
  asked.answer("late");
  gateway.handlers.set("echo", ({ answer: echo, params }) => echo(params));
  assert.equal(await client.request(HUB, "echo", "next"), "next");
  assert.equal(client.droppedFrames, 1);
});

test("the default timeout is the option's, but a proposal waits for a person", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t, { requestTimeoutMs: 5 });
  await client.connect();
  const [proposed, outcome] = await asking(gateway, () => client.request(HUB, "proposeExec", { command: "true" }));
  await assert.rejects(client.request(HUB, "getHubInfo", {}), withCode("TIMEOUT"));
  proposed.answer({ kind: "denied", by: "person" } satisfies Outcome);
  assert.deepEqual(await outcome, { kind: "denied", by: "person" });
});

test("waits that no timer can do are refused", async (t) => {
  const { gateway, client } = await connected(t);
  for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])
    await assert.rejects(client.request(HUB, "x", {}, { timeoutMs }), withCode("INVALID_PARAMS"));
  assert.equal(gateway.received.length, 1, "only the registration was sent");
});

test("abort rejects at once with the signal's reason; an aborted one sends nothing", async (t) => {
  const { gateway, client } = await connected(t);
  const abort = new AbortController();
  const [, answer] = await asking(gateway, () => client.request(HUB, "slow", {}, { signal: abort.signal }));
  abort.abort("enough");
  await assert.rejects(answer, (error: unknown) => {
    withCode("ABORTED")(error);
    return (error as Error).cause === "enough";
  });
  const sent = gateway.received.length;
  await assert.rejects(client.request(HUB, "slow", {}, { signal: abort.signal }), withCode("ABORTED"));
  assert.equal(gateway.received.length, sent);
});

test("disconnect rejects what is under way, and later calls send nothing", async (t) => {
  const { gateway, client } = await connected(t);
  const [{ peer }, answer] = await asking(gateway, () => client.request(HUB, "slow", {}));
  const closed = once(peer.socket, "close");
  client.disconnect();
  assert.equal(client.state, "disconnected");
  await assert.rejects(answer, withCode("DISCONNECTED", /may have done it/));
  await assert.rejects(client.request(HUB, "x", {}), withCode("DISCONNECTED", /nothing was sent/));
  assert.throws(() => client.send(HUB, "x", {}), withCode("DISCONNECTED"));
  assert.equal((await closed)[0], 1000);
});

test("too much at once, too large and not JSON are refused before anything is sent", async (t) => {
  const { gateway, client } = await connected(t);
  await assert.rejects(client.request(HUB, "x", "é".repeat(2 ** 19)), withCode("LIMIT", /larger than a frame/));
  assert.throws(() => client.send(HUB, "x", "a".repeat(2 ** 20)), withCode("LIMIT"));
  assert.throws(() => client.send(HUB, "x", 1n), withCode("INVALID_PARAMS"));
  assert.equal(gateway.received.length, 1);

  const many = Array.from({ length: 1_000 }, () => client.request(HUB, "slow", {}).catch((error) => error.code));
  await assert.rejects(client.request(HUB, "slow", {}), withCode("LIMIT", /1000 requests/));
  client.disconnect();
  assert.deepEqual(new Set(await Promise.all(many)), new Set(["DISCONNECTED"]));
});

test("a result of a known method is held to its type; of another it is passed on", async (t) => {
  const { gateway, client } = await connected(t);
  gateway.handlers.set("listExecApprovals", (asked) => asked.answer({ approvals: [{ approvalId: 7 }] }));
  gateway.handlers.set("unheardOf", (asked) => asked.answer({ whole: true }));
  await assert.rejects(client.request(HUB, "listExecApprovals", {}), withCode("INVALID_RESPONSE"));
  assert.deepEqual(await client.request(HUB, "unheardOf"), { whole: true });

  const page = { approvals: [approval("a1")], next: "a1" };
  gateway.handlers.set("listExecApprovals", (asked) => asked.answer({ ...page, later: "field" }));
  assert.deepEqual(await client.request(HUB, "listExecApprovals", { limit: 1 }), page);
});

test("params are typed by the method's name", () => {
  const check = (client: GatewayClient) => {
    // @ts-expect-error: a decision outside the three
    void client.request(HUB, "resolveExecApproval", { approvalId: "a", decision: "maybe" });
    // @ts-expect-error: a known method never falls back to the untyped form
    void client.request(HUB, "getExecApproval", {});
    const method: string = "anything";
    void (client.request(HUB, method, { any: 1 }) satisfies Promise<unknown>);
    const params: MethodParams<"listExecApprovals"> = { after: "a" };
    return client.request(HUB, "listExecApprovals", params).then(({ approvals }) => approvals[0]?.command);
  };
  assert.equal(typeof check, "function");
});
