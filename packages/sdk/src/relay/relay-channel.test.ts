import assert from "node:assert/strict";
import { createHash, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from "node:crypto";
import { test } from "node:test";
import { type SealedPayload, sealableBytes } from "@countersign/protocol/access";
import { MAX_FRAME_BYTES } from "@countersign/protocol/proposals";
import fc from "fast-check";
import type { GatewayError } from "../errors/gateway-error.ts";
import { RelayChannel, type RelayMessage } from "./relay-channel.ts";
import {
  deriveRelayKeys,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  proveHub,
  type RelayKeys,
  relaySecretOf,
} from "./relay-keys.ts";

const TOKEN = "cs_a-token-of-the-length-that-tokens-have";
const PLAIN = { noNullPrototype: true };
const IDS = { clientId: "phone", hubId: "hub" };

async function shakeHands(clientToken = TOKEN, hubToken = TOKEN) {
  const [client, hub] = await Promise.all([makeRelayShare(), makeRelayShare()]);
  const shares = { clientShare: client.share, hubShare: hub.share, ...IDS };
  const [ours, theirs] = await Promise.all([
    deriveRelayKeys({ secret: await relaySecretOf(clientToken), own: client, ...shares }),
    deriveRelayKeys({ secret: await relaySecretOf(hubToken), own: hub, ...shares }),
  ]);
  return { ours, theirs };
}

/** Both ends; what one transmits is kept until the test hands it to the other. */
function channels(keys: { ours: RelayKeys; theirs: RelayKeys }) {
  const wire: SealedPayload[] = [];
  const received: RelayMessage[] = [];
  const broken: GatewayError[] = [];
  const ends = (ownId: string, otherId: string) => ({ ownId, otherId });
  const client = new RelayChannel(
    { sendKey: keys.ours.clientToHub, receiveKey: keys.ours.hubToClient, ...ends("phone", "hub") },
    { transmit: (payload) => wire.push(payload), received: () => undefined, broken: () => undefined },
  );
  const hub = new RelayChannel(
    { sendKey: keys.theirs.hubToClient, receiveKey: keys.theirs.clientToHub, ...ends("hub", "phone") },
    {
      transmit: () => undefined,
      received: (message) => received.push(message),
      broken: (error) => broken.push(error),
    },
  );
  return { client, hub, wire, received, broken };
}

/** Opening is asynchronous. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("the keys are what the comment says, computed another way", async () => {
  const theirs = generateKeyPairSync("x25519");
  const { x = "" } = theirs.publicKey.export({ format: "jwk" });
  const own = await makeRelayShare();
  const secret = createHash("sha256").update(TOKEN).digest();
  const keys = await deriveRelayKeys({
    secret: await relaySecretOf(TOKEN),
    own,
    clientShare: own.share,
    hubShare: x,
    ...IDS,
  });
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x: own.share }, format: "jwk" });
  const shared = diffieHellman({ privateKey: theirs.privateKey, publicKey });
  const salt = Buffer.concat([Buffer.from(own.share, "base64url"), Buffer.from(x, "base64url")]);
  const info = JSON.stringify(["countersign relay v1", "client to hub", "phone", "hub"]);
  const raw = new Uint8Array(hkdfSync("sha256", Buffer.concat([secret, shared]), salt, info, 32));
  const expected = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
  const iv = new Uint8Array(12);
  const box = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, keys.clientToHub, new Uint8Array([7]));
  assert.deepEqual(
    new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, expected, box)),
    new Uint8Array([7]),
  );
  const hint = createHash("sha256").update("countersign relay hint").update(secret).digest("hex").slice(0, 16);
  assert.equal(await keyHintOf(await relaySecretOf(TOKEN)), hint);
});

test("only whoever knows the token proves itself, and a share that is nobody's is refused", async () => {
  const { ours, theirs } = await shakeHands();
  const proof = await proveHub(theirs);
  assert.ok(await isHubProof(ours, proof));
  assert.equal(await isHubProof((await shakeHands()).ours, proof), false, "of another handshake");
  const strangers = await shakeHands(TOKEN, `${TOKEN}!`);
  assert.equal(await isHubProof(strangers.ours, await proveHub(strangers.theirs)), false);
  const own = await makeRelayShare();
  const secret = await relaySecretOf(TOKEN);
  for (const hubShare of ["A".repeat(43), "AAAA", "not base64url"])
    await assert.rejects(deriveRelayKeys({ secret, own, clientShare: own.share, hubShare, ...IDS }), hubShare);
});

test("what is sealed is opened, in its order", async () => {
  const keys = await shakeHands();
  const message = fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text: fc.string({ unit: "grapheme", maxLength: 2_000 }) }, PLAIN),
    fc.record({ kind: fc.constant("ack" as const), seq: fc.integer({ min: 1, max: 2 ** 32 }) }, PLAIN),
    fc.record(
      {
        kind: fc.constant("close" as const),
        code: fc.integer({ min: 1000, max: 4999 }),
        reason: fc.string({ maxLength: 100 }),
      },
      PLAIN,
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      const { client, hub, wire, received, broken } = channels(keys);
      for (const one of messages) client.seal(one);
      await client.flushed();
      for (const payload of wire) hub.open(payload);
      while (received.length + broken.length < messages.length) await settled();
      assert.deepEqual(received, messages);
    }),
    { numRuns: 30 },
  );
});

test("any other order, any change: everything before it is taken, nothing after it", async () => {
  const keys = await shakeHands();
  const texts = ["a", "b", "c", "d"];
  const attacks: ((wire: SealedPayload[]) => unknown[])[] = [
    ([a, b, c]) => [a, b, b, c],
    ([a, b, c, d]) => [a, b, d, c],
    ([a, b, , d]) => [a, b, d],
    ([a, b, c, d]) => [a, b, { ...c, seq: d?.seq }, d],
    ([a, b, c, d]) => [a, b, { ...c, box: d?.box }, d],
    ([a, b, c, d]) => [a, b, { ...c, box: `${c?.box}A` }, d],
    ([a, b, c, d]) => [a, b, { ...c, box: c?.box.slice(0, -4) }, d],
    ([a, b, c, d]) => [a, b, { ...c, more: 1 }, d],
    ([a, b, , d]) => [a, b, null, d],
    ([a, b, , d]) => [a, b, { seq: 3, box: "" }, d],
  ];
  for (const [index, attack] of attacks.entries()) {
    const { client, hub, wire, received, broken } = channels(keys);
    for (const text of texts) client.seal({ kind: "text", text });
    await client.flushed();
    for (const payload of attack(wire)) hub.open(payload);
    while (broken.length === 0) await settled();
    await settled();
    assert.deepEqual(
      [received, broken.map(({ code }) => code)],
      [texts.slice(0, 2).map((text) => ({ kind: "text", text })), ["TAMPERED"]],
      String(index),
    );
  }
});

test("a text of the largest size fits a frame once sealed, in the longest envelope", async () => {
  const { client, wire } = channels(await shakeHands());
  client.seal({ kind: "text", text: "x".repeat(sealableBytes()) });
  await client.flushed();
  const id = "\u{1f4f1}".repeat(64);
  const envelope = { id: crypto.randomUUID(), from: id, to: id, action: "sealed", payload: wire[0] };
  const { length } = Buffer.from(JSON.stringify(envelope));
  assert.ok(length <= MAX_FRAME_BYTES && length > MAX_FRAME_BYTES * 0.99, String(length));
});
