import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLOSE, GATEWAY } from "@countersign/protocol/proposals";
import fc from "fast-check";
import { GatewayError } from "../src/errors/gateway-error.ts";
import type { GatewayClient } from "../src/gateway/gateway-client.ts";
import { type Asked, approval, GatewayFixture, HUB, type Peer } from "./gateway-fixture.ts";

const withCode = (code: string) => (error: unknown) => error instanceof GatewayError && error.code === code;

async function connected(t: TestContext): Promise<{ gateway: GatewayFixture; client: GatewayClient; peer: Peer }> {
  const gateway = await GatewayFixture.start(t);
  const client = gateway.client(t);
  const [peer] = await Promise.all([gateway.nextRegistered(), client.connect()]);
  return { gateway, client, peer };
}

/** `ids` are of requests under way. */
function garbage(ids: readonly string[]): string[] {
  const envelope = { id: "1", from: HUB, to: "me", action: "response", payload: {} };
  const with_ = (more: object) => JSON.stringify({ ...envelope, ...more });
  const answers = ids.flatMap((requestId) => [
    with_({ from: "agent-7", payload: { requestId, ok: true, payload: "forged" } }),
    with_({ from: GATEWAY, payload: { requestId, ok: true, payload: "forged" } }),
    with_({ payload: { requestId: `${requestId} `, ok: true, payload: "forged" } }),
    with_({ payload: { requestId: [requestId], ok: true, payload: "forged" } }),
    with_({ from: "agent-7", action: "send-error", payload: { code: "INVALID_MESSAGE", message: "", requestId } }),
    with_({ action: "send-error", payload: { code: "NO_SUCH_CODE", message: "", requestId } }),
  ]);
  return [
    ...["", "{", "null", "0", '"text"', "[]", "{}", "\ud800", "[".repeat(100_000), '{"__proto__":{"id":"1"}}'],
    ...["__proto__", "constructor", "toString", "hasOwnProperty", ""].flatMap((requestId) => [
      with_({ payload: { requestId, ok: true, payload: "forged" } }),
      with_({ action: "send-error", payload: { code: "INVALID_MESSAGE", message: "", messageId: requestId } }),
      with_({ action: requestId }),
      with_({ action: "exec-approval-request", payload: approval(requestId, { command: 7 as never }) }),
    ]),
    ...[null, 0, "", [], true].flatMap((value) => [
      with_({ payload: value }),
      with_({ action: value }),
      with_({ from: value }),
      with_({ id: value }),
      with_({ action: "registered", payload: value }),
      with_({ action: "send-error", payload: value }),
      with_({ action: "exec-approval-request", payload: value }),
      with_({ action: "exec-approval-resolved", payload: value }),
    ]),
    with_({ action: "registered", payload: { ok: true, deviceId: "other", hubDeviceId: "evil" } }),
    '{"id":"1","from":"hub-1","to":"me","action":"response","payload":{"__proto__":{"requestId":"1","ok":true}}}',
    ...answers,
  ];
}

test("text that isn't of this dialect is dropped, resolves nothing and pollutes nothing", async (t) => {
  const { gateway, client, peer } = await connected(t);
  const heard: unknown[] = [];
  client.onMessage(({ action, payload }) => heard.push([action, payload]));
  const asked: Asked[] = [];
  const bothAsked = Promise.withResolvers<void>();
  gateway.handlers.set("echo", (request) => asked.push(request) === 2 && bothAsked.resolve());
  const requests = ["first", "second"].map((params) => client.request(HUB, "echo", params));
  await bothAsked.promise;
  for (const text of garbage(asked.map(({ requestId }) => requestId))) peer.socket.send(text);
  // Crosswise and twice: each still gets its own, and the first.
  for (const { answer, params } of asked.reverse()) {
    answer(params);
    answer("second answer");
  }
  assert.deepEqual(await Promise.all(requests), ["first", "second"]);
  assert.equal(client.hubDeviceId, HUB);
  assert.equal(client.state, "connected");
  assert.ok(client.droppedFrames > 50);
  assert.equal(({} as { requestId?: string }).requestId, undefined);
  assert.ok(!heard.some((message) => JSON.stringify(message).includes("approvalId")));
});

test("an answer with the right id but the wrong form rejects its request", async (t) => {
  const { gateway, client } = await connected(t);
  const forms = [{}, { ok: "yes" }, { ok: false }, { ok: false, error: { code: "NO_SUCH_CODE", message: "m" } }];
  for (const form of forms) {
    const next = gateway.nextRequest();
    const answer = client.request(HUB, "x");
    answer.catch(() => undefined);
    const { requestId, peer } = await next;
    peer.push("response", { requestId, ...form });
    await assert.rejects(answer, withCode("INVALID_RESPONSE"));
  }
});

for (const [name, data] of [
  ["a binary frame", Buffer.from("{}")],
  ["a frame of 10 MB", "x".repeat(10_000_000)],
  ["a frame just over the limit in UTF-8", "é".repeat(2 ** 19 + 1)],
] as const)
  test(`${name} ends the connection with 4400, and the client comes back`, async (t) => {
    const { gateway, client, peer } = await connected(t);
    const next = gateway.nextRequest();
    const answer = client.request(HUB, "x");
    answer.catch(() => undefined);
    await next;
    const closed = new Promise((resolve) => peer.socket.once("close", resolve));
    const back = gateway.nextRegistered();
    peer.socket.send(data);
    await assert.rejects(answer, withCode("DISCONNECTED"));
    assert.equal(await closed, CLOSE.badFrame);
    assert.equal((await back).deviceId, client.deviceId);
  });

test("no JSON whatever is taken for an answer or breaks the client", async (t) => {
  const { gateway, client, peer } = await connected(t);
  const next = gateway.nextRequest();
  const answer = client.request(HUB, "x");
  const asked = await next;
  const key = fc.constantFrom("id", "from", "to", "action", "payload", "requestId", "ok", "error", "__proto__");
  const leaf = fc.oneof(
    fc.constantFrom(HUB, GATEWAY, "response", "send-error", "registered", "exec-approval-request", true, null),
    fc.string(),
    fc.double(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("any"), { maxLength: 3 }), fc.dictionary(key, tie("any"))),
  })).any;
  for (const sample of fc.sample(value, 3_000)) peer.socket.send(JSON.stringify(sample) ?? "");
  asked.answer("the answer");
  assert.equal(await answer, "the answer");
  assert.equal(client.state, "connected");
});

test("listeners hear in order; one that throws or unsubscribes doesn't disturb the others", async (t) => {
  const gateway = await GatewayFixture.start(t);
  const errors: unknown[] = [];
  const client = gateway.client(t, { onListenerError: (error) => errors.push(error) });
  const heard: string[] = [];
  const offFirst = client.onMessage(() => {
    heard.push("first");
    offFirst();
    offThird();
  });
  client.onMessage(() => {
    heard.push("second");
    throw new Error("mine");
  });
  const offThird = client.onMessage(() => heard.push("third"));
  const done = Promise.withResolvers<void>();
  client.onMessage(({ action }) => {
    heard.push("last");
    if (action === "done") done.resolve();
  });
  const [peer] = await Promise.all([gateway.nextRegistered(), client.connect()]);
  peer.push("news", {});
  peer.push("done", {});
  await done.promise;
  assert.deepEqual(heard, ["first", "second", "last", "second", "last"]);
  assert.deepEqual(errors.map(String), ["Error: mine", "Error: mine"]);
});

test("without onListenerError a listener's error is uncaught, as an EventTarget's, and the connection stays", async (t) => {
  const { client, peer } = await connected(t);
  client.onMessage(() => {
    throw new Error("mine");
  });
  const second = new Promise((resolve) => client.onMessage(resolve));
  const thrown: unknown[] = [];
  t.mock.method(globalThis, "queueMicrotask", (task: () => void) => {
    assert.throws(task, (error: unknown) => thrown.push(error) > 0);
  });
  peer.push("news", {});
  await second;
  t.mock.restoreAll();
  assert.deepEqual(thrown.map(String), ["Error: mine"]);
  assert.equal(client.state, "connected");
});
