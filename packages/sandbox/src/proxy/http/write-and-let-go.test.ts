import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { writeAndLetGo } from "./write-and-let-go.ts";

const CHUNK = 64 * 1024;

/** Two ends of a connection. */
async function pair(t: { after: (work: () => void) => void }): Promise<readonly [Socket, Socket]> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = await accepted;
  t.after(() => {
    for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  return [near, far];
}

/** A chunk as a socket gives it: all of its memory. */
function chunkOf(bytes: Buffer): Buffer {
  const own = Buffer.from(new ArrayBuffer(bytes.length));
  own.set(bytes);
  return own;
}

test("bytes arrive whole however long they wait, and their memory is given back then, not before", async (t) => {
  const [near, far] = await pair(t);
  // More than the system takes at once, while nobody reads.
  const sent = randomBytes(256 * CHUNK);
  const chunks = Array.from({ length: 256 }, (_, n) => chunkOf(sent.subarray(n * CHUNK, (n + 1) * CHUNK)));
  for (const chunk of chunks) writeAndLetGo(near, chunk);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(near.writableLength > 0, "some still wait");
  assert.equal(chunks.at(-1)?.length, CHUNK, "what waits is there");
  const received: Buffer[] = [];
  far.on("data", (chunk: Buffer) => received.push(chunk));
  const ended = once(far, "end");
  far.resume();
  near.end();
  await ended;
  assert.ok(Buffer.concat(received).equals(sent));
  assert.deepEqual(new Set(chunks.map((chunk) => chunk.length)), new Set([0]));
});

test("what is small, a part of something larger or shared stays as it is", async (t) => {
  const [near, far] = await pair(t);
  far.resume();
  const larger = Buffer.from(new ArrayBuffer(2 * CHUNK));
  const small = chunkOf(randomBytes(100));
  const shared = Buffer.from(new SharedArrayBuffer(CHUNK));
  for (const bytes of [larger.subarray(0, CHUNK), larger.subarray(CHUNK), small, shared]) writeAndLetGo(near, bytes);
  near.end();
  await once(near, "finish");
  assert.deepEqual([larger.length, small.length, shared.length], [2 * CHUNK, 100, CHUNK]);
});

test("what couldn't be written stays as it is", async (t) => {
  const [near] = await pair(t);
  const chunks = Array.from({ length: 256 }, () => chunkOf(Buffer.alloc(CHUNK)));
  near.on("error", () => undefined);
  for (const chunk of chunks) writeAndLetGo(near, chunk);
  near.destroy();
  await once(near, "close");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(chunks.at(-1)?.length, CHUNK);
});
