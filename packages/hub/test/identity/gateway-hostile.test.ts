import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SealedPayload } from "@countersign/protocol/access";
import { CLOSE, type Envelope } from "@countersign/protocol/proposals";
import {
  deriveRelayKeys,
  GatewayError,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  RelayChannel,
  type RelayMessage,
  relaySecretOf,
} from "@countersign/sdk";
import { frame, HostileGateway, openHubBehind, RemoteClient } from "../support/gateway-fixture.ts";

const withCode = (code: string) => (error: unknown) => error instanceof GatewayError && error.code === code;
/** A request that was under way when its channel broke. */
const cutByTampering = (error: unknown) =>
  withCode("DISCONNECTED")(error) && withCode("TAMPERED")((error as Error).cause);

async function open(t: TestContext, profile?: object) {
  const gateway = await HostileGateway.start(t);
  const hub = await openHubBehind(t, gateway.url, profile ? { profile } : {});
  await hub.registered();
  const alice = new RemoteClient(t, { url: gateway.url, token: hub.token, deviceId: "alice" });
  await alice.client.connect();
  return { gateway, hub, alice };
}

const sealed = (toHub: boolean) => (frame: { envelope: Envelope; toHub: boolean }) =>
  frame.toHub === toHub && frame.envelope.action === "sealed";

const boxOf = ({ payload }: Envelope) => (payload as SealedPayload).box;

function withBox(envelope: Envelope, box: string): Envelope {
  return { ...envelope, payload: { ...(envelope.payload as SealedPayload), box } };
}

/** One bit of it, in the middle. */
function flipped(envelope: Envelope): Envelope {
  const bytes = Buffer.from(boxOf(envelope), "base64url");
  const at = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return withBox(envelope, bytes.toString("base64url"));
}

const FORGED_CARD = {
  approvalId: "forged",
  agentId: "s",
  command: "echo harmless",
  riskLevel: "safe",
  riskReasons: [],
  expiresAtMs: Date.now() + 60_000,
};

test("it sees no token, nothing that could stand for one, no command and no decision", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const command = "touch a-name-that-nobody-else-knows";
  const outcome = hub.propose(command);
  await alice.answer((await alice.card(command)).approvalId, "allow-once");
  assert.equal((await outcome).kind, "exited");
  await alice.client.request(alice.hub, "listExecApprovals", {});
  const boxes = gateway.relayed
    .filter(({ envelope }) => envelope.action === "sealed")
    .map(({ envelope }) => boxOf(envelope));
  assert.ok(boxes.length >= 6);
  const seen = [...gateway.seen, ...boxes.map((box) => Buffer.from(box, "base64url").toString("latin1"))].join("\n");
  const hash = createHash("sha256").update(hub.token).digest();
  const secrets = [hub.token, hub.token.slice(3, 20), hash.toString("hex"), hash.toString("base64url"), hub.workspace];
  for (const secret of [...secrets, "a-name-that", "exec-approval", "resolveExecApproval", "allow-once"])
    assert.ok(!seen.includes(secret), secret);
});

test("what it makes up for a client isn't shown: a typed error and a fresh handshake each time", async (t) => {
  const { gateway, alice } = await open(t);
  const id = alice.client.deviceId;
  const { envelope: recorded } = gateway.relayed.find(sealed(false)) as { envelope: Envelope };
  const forgeries: [string, unknown, string?][] = [
    ["exec-approval-request", FORGED_CARD],
    ["exec-approval-request", FORGED_CARD, "gateway"],
    ["exec-approval-resolved", { approvalId: "forged", by: "person" }],
    ["response", { requestId: "r", ok: true, payload: {} }],
    ["registered", { ok: true, deviceId: id, hubDeviceId: "evil" }, "gateway"],
    ["relay-welcome", { share: "A".repeat(43), proof: "A".repeat(43) }],
    ["sealed", recorded.payload],
    ["sealed", { seq: 2, box: "A".repeat(100) }],
    ["sealed", { seq: 2, box: boxOf(recorded) }],
    ["sealed", { seq: 3, box: "A".repeat(100) }],
    ["sealed", { seq: "2", box: null }],
  ];
  for (const [action, payload, from] of forgeries) {
    alice.states.length = 0;
    gateway.toDevice(id, action, payload, from);
    await alice.returned("TAMPERED");
  }
  assert.deepEqual(alice.heard, []);
  const handshakes = gateway.relayed.filter(({ envelope }) => envelope.action === "relay-hello");
  assert.equal(handshakes.length, 1 + forgeries.length);
});

test("what it makes up or repeats for the hub decides nothing", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const allowed = hub.propose("touch first");
  const first = await alice.card("touch first");
  const resolving = gateway.next(sealed(true));
  await alice.answer(first.approvalId, "allow-once");
  const recorded = (await resolving).envelope;
  await allowed;

  const outcome = hub.propose("touch second");
  const { approvalId } = await alice.card("touch second");
  const { seq } = recorded.payload as SealedPayload;
  const params = { approvalId, decision: "allow-once" };
  const forgeries: [string, unknown][] = [
    ["sealed", recorded.payload],
    ["request", { requestId: "r", method: "resolveExecApproval", params }],
    // Each channel starts anew: register was 1, so the next is 2.
    ["sealed", recorded.payload],
    ["sealed", { seq: 2, box: boxOf(recorded) }],
    ["sealed", { seq, box: boxOf(recorded) }],
    ["sealed", { seq: 2, box: "A".repeat(200) }],
    ["exec-approval-resolved", { approvalId, decision: "allow-once", by: "person" }],
  ];
  for (const [action, payload] of forgeries) {
    alice.states.length = 0;
    gateway.toHub(alice.client.deviceId, action, payload);
    await alice.returned("TAMPERED");
    assert.equal(hub.served.hub.approvals.pending, 1, action);
  }
  assert.equal(existsSync(join(hub.workspace, "second")), false);
  await alice.answer(approvalId, "deny");
  assert.equal((await outcome).kind, "denied");
});

test("a bit flipped, a frame dropped or two reordered on the way to the hub: nothing of it is done", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const outcome = hub.propose("touch made");
  const { approvalId } = await alice.card("touch made");
  const held: Envelope[] = [];
  // An ack is much shorter.
  const isRequest = ({ envelope, toHub }: { envelope: Envelope; toHub: boolean }) =>
    toHub && envelope.action === "sealed" && boxOf(envelope).length > 200;
  const attacks: Record<string, (envelope: Envelope) => Envelope[]> = {
    flip: (envelope) => [flipped(envelope)],
    drop: (envelope) => (held.push(envelope) === 1 ? [] : [envelope]),
    reorder: (envelope) => (held.push(envelope) === 1 ? [] : [envelope, ...held.slice(0, 1)]),
    truncate: (envelope) => [withBox(envelope, boxOf(envelope).slice(0, 20))],
    renumber: (envelope) => [{ ...envelope, payload: { seq: 1, box: boxOf(envelope) } }],
  };
  for (const [name, attack] of Object.entries(attacks)) {
    held.length = 0;
    alice.states.length = 0;
    gateway.meddle = (frame) => (isRequest(frame) ? attack(frame.envelope) : [frame.envelope]);
    const requests = [alice.answer(approvalId, "allow-once"), alice.answer(approvalId, "allow-once")];
    const results = await Promise.allSettled(requests);
    assert.ok(
      results.every((result) => result.status === "rejected" && cutByTampering(result.reason)),
      name,
    );
    gateway.meddle = ({ envelope }) => [envelope];
    await alice.returned("TAMPERED");
    assert.equal(hub.served.hub.approvals.pending, 1, name);
  }
  gateway.meddle = (frame) => (isRequest(frame) ? [frame.envelope, frame.envelope] : [frame.envelope]);
  alice.states.length = 0;
  await alice.answer(approvalId, "deny").catch((error) => assert.ok(cutByTampering(error)));
  assert.equal((await outcome).kind, "denied", "once, as it was said");
  gateway.meddle = ({ envelope }) => [envelope];
  await alice.returned("TAMPERED");
});

test("a bit flipped, a frame dropped or repeated on the way to a client: it comes with the replay, and once", async (t) => {
  const { gateway, hub, alice } = await open(t);
  let held = 0;
  const attacks: Record<string, (envelope: Envelope) => Envelope[]> = {
    flip: (envelope) => [flipped(envelope)],
    repeat: (envelope) => [envelope, envelope],
    drop: (envelope) => (held++ === 0 ? [] : [envelope]),
    swap: (envelope) => [withBox(envelope, boxOf(envelope).split("").reverse().join(""))],
  };
  const outcomes: Promise<unknown>[] = [];
  for (const [name, attack] of Object.entries(attacks)) {
    alice.states.length = 0;
    held = 0;
    gateway.meddle = (frame) => (sealed(false)(frame) ? attack(frame.envelope) : [frame.envelope]);
    outcomes.push(hub.propose(`touch ${name}1`), hub.propose(`touch ${name}2`));
    await alice.until(() => alice.states.some(({ code }) => code === "TAMPERED"));
    gateway.meddle = ({ envelope }) => [envelope];
    await Promise.all([alice.card(`touch ${name}1`), alice.card(`touch ${name}2`)]);
    await alice.returned("TAMPERED");
  }
  const ids = alice.cards().map(({ approvalId }) => approvalId);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 2 * Object.keys(attacks).length);
  for (const id of ids) await alice.answer(id, "deny");
  await Promise.all(outcomes);
});

test("two clients' frames exchanged: both ways neither opens", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const { token } = await hub.makeToken("approver", "bob");
  const bob = new RemoteClient(t, { url: gateway.url, token, deviceId: "bob" });
  const twin = new RemoteClient(t, { url: gateway.url, token: hub.token, deviceId: "twin" });
  await Promise.all([bob.client.connect(), twin.client.connect()]);
  const outcome = hub.propose("touch made");
  const { approvalId } = await alice.card("touch made");
  await Promise.all([bob.card("touch made"), twin.card("touch made")]);
  for (const other of [bob, twin]) {
    alice.states.length = 0;
    const otherId = other.client.deviceId;
    gateway.meddle = ({ envelope, toHub }) => {
      const { action, from } = envelope;
      return [toHub && action === "sealed" && from === "alice" ? { ...envelope, from: otherId } : envelope];
    };
    await assert.rejects(Promise.race([alice.answer(approvalId, "allow-once"), never(other)]), withCode("TAMPERED"));
    gateway.meddle = ({ envelope }) => [envelope];
    await other.returned("TAMPERED");
    assert.equal(hub.served.hub.approvals.pending, 1);
    alice.client.disconnect();
    await alice.client.connect();
  }
  alice.states.length = bob.states.length = 0;
  gateway.meddle = ({ envelope, toHub }) => {
    const other = { alice: "bob", bob: "alice" }[envelope.to];
    return [!toHub && envelope.action === "sealed" && other ? { ...envelope, to: other } : envelope];
  };
  const resolved = twin.answer(approvalId, "deny");
  await Promise.all([alice, bob].map((one) => one.until(() => one.states.some(({ code }) => code === "TAMPERED"))));
  gateway.meddle = ({ envelope }) => [envelope];
  await Promise.all([alice.returned("TAMPERED"), bob.returned("TAMPERED"), resolved]);
  assert.equal((await outcome).kind, "denied");
});

/** Rejects with what cut this client off. */
async function never(one: RemoteClient): Promise<never> {
  await one.until(() => one.states.some(({ code }) => code === "TAMPERED"));
  throw new GatewayError("TAMPERED", "as it should");
}

test("it plays the hub: without the token there is no welcome, and it is told nothing", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const recorded = gateway.relayed.find(({ envelope }) => envelope.action === "relay-welcome")?.envelope.payload;
  assert.ok(recorded);
  alice.client.disconnect();
  const { share } = await makeRelayShare();
  const welcomes = [
    { share, proof: "A".repeat(43) },
    { share: "A".repeat(43), proof: "A".repeat(43) },
    recorded,
    { share },
    {},
  ];
  for (const welcome of welcomes) {
    const before = gateway.relayed.length;
    gateway.meddle = ({ envelope }) => {
      if (envelope.action === "relay-hello") {
        const { share: answers } = envelope.payload as { share: string };
        gateway.toDevice(envelope.from, "relay-welcome", { ...welcome, answers });
      }
      return [];
    };
    const client = new RemoteClient(t, { url: gateway.url, token: hub.token });
    await assert.rejects(client.client.connect(), withCode("UNAUTHORIZED"), JSON.stringify(welcome));
    assert.equal(client.client.state, "closed");
    assert.deepEqual(
      gateway.relayed.slice(before).map(({ envelope }) => envelope.action),
      ["relay-hello"],
    );
  }
});

test("a welcome that comes late, to the connection after, isn't taken for that one's", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const late: Envelope[] = [];
  gateway.meddle = ({ envelope }) => {
    if (envelope.action !== "relay-welcome") return [envelope];
    if (late.push(envelope) > 1) return late;
    gateway.cut(envelope.to);
    return [];
  };
  gateway.cut("alice");
  await alice.until(() => alice.states.filter(({ state }) => state === "connected").length === 2);
  assert.equal(late.length, 2);
  assert.equal((await alice.client.request(alice.hub, "getHubInfo", {})).hubDeviceId, hub.served.hub.deviceId);
});

test("it plays a client: recorded handshakes and hints open nothing", async (t) => {
  const { gateway, hub, alice } = await open(t);
  const earlier = hub.propose("touch first");
  await alice.answer((await alice.card("touch first")).approvalId, "allow-once");
  await earlier;
  const outcome = hub.propose("touch made");
  const { approvalId } = await alice.card("touch made");
  const recorded = gateway.relayed.filter(({ toHub }) => toHub).map(({ envelope }) => envelope);
  const hello = recorded.find(({ action }) => action === "relay-hello")?.payload as { keyHint: string; share: string };
  alice.client.disconnect();

  const answerTo = (action: string) =>
    gateway.next(({ envelope, toHub }) => !toHub && envelope.to === "ghost" && envelope.action === action);
  const refusals = [
    { ...hello, keyHint: "0123456789abcdef" },
    { ...hello, share: "A".repeat(43) },
  ];
  for (const unreadable of [{ ...hello, keyHint: hello.keyHint.toUpperCase() }, {}, null])
    gateway.toHub("ghost", "relay-hello", unreadable);
  for (const payload of refusals) {
    const refused = answerTo("relay-refused");
    gateway.toHub("ghost", "relay-hello", payload);
    assert.deepEqual((await refused).envelope.payload, { answers: payload.share });
  }
  const welcomed = answerTo("relay-welcome");
  const closed = answerTo("relay-closed");
  gateway.toHub("ghost", "relay-hello", hello);
  await welcomed;
  for (const { action, payload } of recorded) if (action === "sealed") gateway.toHub("ghost", "sealed", payload);
  await closed;
  // Under her own name as well.
  const closedAgain = gateway.next(({ envelope, toHub }) => !toHub && envelope.action === "relay-closed");
  for (const { from, action, payload } of recorded) gateway.toHub(from, action, payload);
  await closedAgain;
  assert.equal(hub.served.hub.approvals.pending, 1);
  await alice.client.connect();
  await alice.answer(approvalId, "deny");
  assert.equal((await outcome).kind, "denied");
});

test("it has the hub's hashes, but no token: a channel, and nobody is let in", async (t) => {
  const { gateway, hub } = await open(t);
  const secret = await relaySecretOf(hub.token);
  const own = await makeRelayShare();
  const answered = gateway.next(({ envelope }) => envelope.action === "relay-welcome");
  gateway.toHub("ghost", "relay-hello", { keyHint: await keyHintOf(secret), share: own.share });
  const { share: hubShare, proof } = (await answered).envelope.payload as { share: string; proof: string };
  const ids = { clientId: "ghost", hubId: gateway.hubId };
  const keys = await deriveRelayKeys({ secret, own, clientShare: own.share, hubShare, ...ids });
  assert.ok(await isHubProof(keys, proof));
  const heard = Promise.withResolvers<RelayMessage>();
  const channel = new RelayChannel(
    { sendKey: keys.clientToHub, receiveKey: keys.hubToClient, ownId: "ghost", otherId: gateway.hubId },
    {
      transmit: (payload) => gateway.toHub("ghost", "sealed", payload),
      received: (message) => heard.resolve(message),
      broken: heard.reject,
    },
  );
  gateway.meddle = ({ envelope }) => {
    if (envelope.to === "ghost" && envelope.action === "sealed") channel.open(envelope.payload);
    return [envelope];
  };
  const token = Buffer.from(secret).toString("hex");
  const register = frame("ghost", "gateway", "register", { deviceType: "client", token });
  channel.seal({ kind: "text", text: JSON.stringify(register) });
  assert.deepEqual(await heard.promise, { kind: "close", code: CLOSE.unauthorized, reason: "no valid token" });
});

test("a question that it keeps to itself reached nobody: at the deadline it is denied, whatever the fallback", async (t) => {
  const profile = { askFallback: "full", timeoutMs: 1_500 };
  const { gateway, hub, alice } = await open(t, profile);
  const ended = async (command: string) => {
    const { kind, by } = await hub.propose(command);
    return [kind, by];
  };
  assert.deepEqual(await ended("touch seen"), ["exited", "timeout"]);
  gateway.meddle = (frame) => (sealed(true)(frame) ? [] : [frame.envelope]);
  assert.deepEqual(await ended("touch unconfirmed"), ["denied", "undelivered"]);
  gateway.meddle = (frame) => (sealed(false)(frame) ? [] : [frame.envelope]);
  const unseen = ended("touch unseen");
  const asking = alice.client.request(alice.hub, "listExecApprovals", {}, { timeoutMs: 100 });
  await assert.rejects(asking, GatewayError);
  assert.deepEqual(await unseen, ["denied", "undelivered"]);
  assert.equal(existsSync(join(hub.workspace, "unseen")), false);
});
