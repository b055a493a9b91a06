import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dialProxy, echoUpstream, openProxy, worldOf } from "../../../hub/test/support/proxy-fixture.ts";

const A = "192.0.2.1";

/** Whole requests, to be broken in every way. */
const REQUESTS = [
  "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\nbytes",
  "CONNECT evil.example:443 HTTP/1.1\r\n\r\n",
  "GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\nConnection: close, x\r\nX: 1\r\n\r\n",
  "POST http://a.example/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\nGET http://evil.example/ HTTP/1.1\r\n\r\n",
  "POST http://evil.example/x HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody",
  "\x05\x01\x00\x05\x01\x00\x03\x09a.example\x01\xbbbytes",
  "\x05\x02\x00\x02\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50",
  "\x05\x01\x00\x05\x01\x00\x04\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x50",
].map((text) => Buffer.from(text, "latin1"));

const place = fc.nat(400);
const change = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), at: place, byte: fc.nat(255) }),
  fc.record({ kind: fc.constant("cut" as const), at: place, byte: fc.nat(20) }),
  fc.record({ kind: fc.constant("put" as const), at: place, byte: fc.nat(255) }),
);

const session = fc.record({
  request: fc.constantFrom(...REQUESTS),
  changes: fc.array(change, { maxLength: 4 }),
  pieces: fc.integer({ min: 1, max: 300 }),
  end: fc.constantFrom("wait", "half", "reset"),
});

type Session = typeof session extends fc.Arbitrary<infer S> ? S : never;

function broken({ request, changes }: Session): Buffer {
  return changes.reduce((bytes, { kind, at: wish, byte }) => {
    const at = wish % (bytes.length + 1);
    const put = kind === "cut" ? [] : [byte];
    const dropped = kind === "cut" ? byte : kind === "set" ? 1 : 0;
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + dropped)]);
  }, request);
}

test("whatever a client says and however it leaves, the proxy goes on, forgets it, and dials only what is allowed", async (t) => {
  const world = worldOf({ "a.example": [A] }, { [A]: await echoUpstream(t) });
  const limits = { firstRequestMs: 100, idleMs: 100, refusalsKept: 8 };
  const { port, proxy, open } = await openProxy(t, { rule: { hosts: ["a.example"] }, dialer: world.dialer, limits });
  await fc.assert(
    fc.asyncProperty(fc.array(session, { minLength: 1, maxLength: 20 }), async (sessions) => {
      await Promise.all(sessions.map(speak));
      while (open.connections > 0) await new Promise(setImmediate);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(world.dialled.every((text) => text.startsWith(`${A} `)));
  assert.ok(world.dialled.length > 500 && proxy.refused().length <= 9);

  async function speak(said: Session): Promise<void> {
    const bytes = broken(said);
    const client = await dialProxy(port);
    for (let at = 0; at < bytes.length; at += said.pieces) client.send(bytes.subarray(at, at + said.pieces));
    if (said.end === "half") client.socket.end();
    if (said.end === "reset") client.socket.resetAndDestroy();
    const heard = await client.rest();
    if (heard !== "" && !heard.startsWith("\x05")) assert.match(heard, /^HTTP\/1\.1 \d{3} /);
  }
});
