import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import { deriveRelayKeys, makeRelayShare, RelayChannel, type RelayMessage, relaySecretOf } from "@countersign/sdk";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { RelayPeer } from "./relay-peer.ts";

/** A peer, and the client at the other end of its channel. */
async function openPeer(limits = DEFAULT_LIMITS) {
  const [own, other] = await Promise.all([makeRelayShare(), makeRelayShare()]);
  const handshake = { clientShare: other.share, hubShare: own.share, clientId: "phone", hubId: "hub" };
  const keys = await deriveRelayKeys({ secret: await relaySecretOf("a token"), own, ...handshake });
  const clock = new FakeClock();
  const received: RelayMessage[] = [];
  const closed: [number, string][] = [];
  const client = new RelayChannel(
    { sendKey: keys.clientToHub, receiveKey: keys.hubToClient, ownId: "phone", otherId: "hub" },
    {
      transmit: (payload) => peer.open(payload),
      received: (message) => received.push(message),
      broken: (error) => assert.fail(error),
    },
  );
  const peer: RelayPeer = new RelayPeer(
    { sendKey: keys.hubToClient, receiveKey: keys.clientToHub, ownId: "hub", otherId: "phone" },
    {
      clock,
      limits,
      transmit: (payload) => client.open(payload),
      broken: (error) => assert.fail(error),
      closed: (code, reason) => closed.push([code, reason]),
    },
  );
  const until = async (isOver: () => boolean) => {
    while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { peer, client, clock, received, closed, until };
}

test("confirmed() waits for the client, not for the gateway", async () => {
  const { peer, client, received, until } = await openPeer();
  assert.equal(await peer.confirmed(), true, "nothing was sent");
  assert.ok(peer.send({ n: 1 }) && peer.send({ n: 2 }));
  let confirmed: boolean | undefined;
  const waiting = peer.confirmed().then((answer) => {
    confirmed = answer;
  });
  await until(() => received.length === 2);
  client.seal({ kind: "ack", seq: 1 });
  await client.flushed();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(confirmed, undefined);
  client.seal({ kind: "ack", seq: 2 });
  await waiting;
  assert.equal(confirmed, true);
  peer.send({ n: 3 });
  const lost = peer.confirmed();
  peer.drop();
  assert.equal(await lost, false);
  assert.equal(peer.send({ n: 4 }), false);
});

test("RelayPeer closes a client that confirms too late or too little", async () => {
  const slow = await openPeer();
  slow.peer.send({ n: 1 });
  slow.clock.advance(29_999);
  assert.equal(slow.peer.gone.aborted, false);
  slow.clock.advance(1);
  assert.ok(slow.peer.gone.aborted);
  await slow.until(() => slow.closed.length === 1 && slow.received.length === 2);
  assert.equal(slow.closed[0]?.[0], CLOSE.tooSlow);
  assert.deepEqual(slow.received.at(-1), { kind: "close", code: CLOSE.tooSlow, reason: slow.closed[0]?.[1] });

  const deaf = await openPeer({ ...DEFAULT_LIMITS, sendBufferBytes: 1_000 });
  const text = "x".repeat(400);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => deaf.peer.send({ text })),
    [true, true, true, false, false],
  );
  await deaf.peer.drained();
  assert.ok(deaf.peer.gone.aborted);
});

test("drained() waits for a quarter, and RelayPeer enforces its limits", async () => {
  const { peer, client, received, until } = await openPeer({ ...DEFAULT_LIMITS, sendBufferBytes: 1_000 });
  const text = "x".repeat(400);
  peer.send({ text });
  let drained = false;
  const waiting = peer.drained().then(() => {
    drained = true;
  });
  await until(() => received.length === 1);
  assert.equal(drained, false);
  client.seal({ kind: "ack", seq: 1 });
  await waiting;
  assert.equal(peer.send({ text: "x".repeat(peer.frameBytes) }), false);
  assert.equal(peer.gone.aborted, false);

  const noisy = await openPeer({ ...DEFAULT_LIMITS, frameBurst: 3 });
  const heard: string[] = [];
  noisy.peer.onText((one) => heard.push(one));
  for (const one of "abcd") noisy.client.seal({ kind: "text", text: one });
  await noisy.until(() => noisy.closed.length === 1);
  assert.deepEqual([heard, noisy.closed[0]?.[0]], [["a", "b", "c"], CLOSE.rateLimited]);
});
