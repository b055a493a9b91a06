import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import { readBundle } from "../src/ca/bundle.ts";
import { frameOf, RelayHere } from "./relay-here.ts";

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly code: string | undefined;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await holds()) return;
    await sleep(10);
  }
  assert.fail("waited for too long");
}

/** One request on a connection of its own. */
async function post(here: RelayHere, bundle: string, body: string, type = "application/json"): Promise<Answered> {
  const { key, cert, ca } = readBundle(bundle);
  const headers = { "content-type": type, "content-length": Buffer.byteLength(body) };
  const sent = request(new URL("/ingest", here.url), { method: "POST", agent: false, key, cert, ca, headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  const [line] = text.split("\n").map((each) => (each === "" ? {} : JSON.parse(each)));
  return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], code: line?.error?.code };
}

const one = (n: number, sandboxId = "box") => JSON.stringify(frameOf(sandboxId, n));

test("a spool that is full, for one sandbox or for all, is 503 with Retry-After, and others' frames are taken", async (t) => {
  const here = await RelayHere.make(t);
  const size = one(0).length + 100;
  await here.start({ spoolBytes: 3 * size, spoolBytesPerSandbox: size });
  const [box, other, third] = [await here.bundle("box"), await here.bundle("other"), await here.bundle("third")];
  assert.equal((await post(here, box, one(0))).status, 200);
  const full = { status: 503, retryAfter: "5", code: "SPOOL_FULL" };
  assert.deepEqual(await post(here, box, one(1)), full);
  // Of several, each line says it.
  const lines = await post(here, box, `${one(2)}\n`, "application/x-ndjson");
  assert.deepEqual(lines, { ...full, status: 207 });
  assert.equal((await post(here, other, one(3, "other"))).status, 200);
  assert.equal((await post(here, third, one(4, "third"))).status, 200);
  assert.deepEqual(await post(here, await here.bundle("fourth"), one(5, "fourth")), full);
  await here.recorder.listen(here.socket);
  await until(async () => (await here.health()).spooledFrames === 0);
  assert.equal((await post(here, box, one(6))).status, 200);
});

test("what is too much at once is 503 BUSY, and what is too often 429, both with Retry-After", async (t) => {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  await here.start({ heldBytes: 2_000, frameBurst: 2, framesPerSecond: 0.01 });
  const box = await here.bundle("box");
  const large = JSON.stringify(frameOf("box", 0, { input: { command: "x".repeat(3_000) } }));
  assert.deepEqual(await post(here, box, large), { status: 503, retryAfter: "1", code: "BUSY" });
  for (const n of [1, 2]) assert.equal((await post(here, box, one(n))).status, 200, "what it held is free again");
  const { retryAfter, ...often } = await post(here, box, one(3));
  assert.deepEqual(often, { status: 429, code: "TOO_MANY_FRAMES" });
  assert.ok(Number(retryAfter) > 50 && Number(retryAfter) <= 100, retryAfter);
  assert.equal((await post(here, await here.bundle("other"), one(4, "other"))).status, 200);
});

async function tlsTo(here: RelayHere, bundle: string): Promise<TLSSocket> {
  const { key, cert, ca } = readBundle(bundle);
  const socket = tlsConnect({ port: Number(here.url.port), host: "localhost", key, cert, ca });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

test("one sandbox has so many connections and no more: 429 with Retry-After, until one of them is closed", async (t) => {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  await here.start({ connectionsPerSandbox: 1 });
  const box = await here.bundle("box");
  const held = await tlsTo(here, box);
  await until(async () => (await here.health()).connections === 1);
  assert.deepEqual(await post(here, box, one(0)), { status: 429, retryAfter: "5", code: "TOO_MANY_CONNECTIONS" });
  held.destroy();
  await until(async () => (await here.health()).connections === 0);
  assert.equal((await post(here, box, one(1))).status, 200);
});

test("who never shows a certificate doesn't hold all connections: others of its address are cut, those of another go on", async (t) => {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  await here.start({ connections: 20, handshakesPerAddress: 5, handshakeMs: 60_000 });
  const box = await here.bundle("box");
  const idle: Socket[] = [];
  t.after(() => idle.forEach((socket) => void socket.destroy()));
  let cut = 0;
  for (let n = 0; n < 40; n += 1) {
    const socket = connect({ port: Number(here.url.port), host: "127.0.0.1", localAddress: "127.0.0.2" });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      cut += 1;
    });
    idle.push(socket.resume());
  }
  await until(() => cut >= 35);
  assert.equal((await post(here, box, one(0))).status, 200);
  // Those that were never finished count no longer once they are gone, and those that were finished don't count.
  for (const socket of idle) socket.destroy();
  await until(async () => cut === 40);
  for (let n = 1; n < 12; n += 1) assert.equal((await post(here, box, one(n))).status, 200);
  const held = await Promise.all(
    ["a", "b", "c", "d", "e", "f", "g"].map(async (id) => tlsTo(here, await here.bundle(id))),
  );
  assert.equal((await post(here, box, one(12))).status, 200);
  for (const socket of held) socket.destroy();
});

const crlOf = (here: RelayHere) => join(here.dir, "ca", "crl.pem");
const healthOf = async (here: RelayHere) => {
  const { status, revoked, revocationsProblem } = await here.health();
  return { status, revoked, problem: revocationsProblem };
};

async function twoLists(t: TestContext) {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  const box = await here.bundle("box");
  const before = readFileSync(crlOf(here), "utf8");
  // A list's time has whole seconds.
  await (await here.ca()).revoke("box", Date.now() + 2_000);
  return { here, box, before, after: readFileSync(crlOf(here), "utf8") };
}

test("an older list of what is revoked takes nothing back, in a relay that runs and in one that is started with it", async (t) => {
  const { here, box, before, after } = await twoLists(t);
  writeFileSync(crlOf(here), before);
  await here.start({ crlEveryMs: 10 });
  assert.equal((await post(here, box, one(0))).status, 200);
  writeFileSync(crlOf(here), after);
  await until(async () => (await here.health()).revoked === 1);
  const revoked = { status: 403, retryAfter: undefined, code: "REVOKED_CERTIFICATE" };
  const failing = { status: "failing", revoked: 1, problem: "it is older than the one in force" };
  writeFileSync(crlOf(here), before);
  await until(async () => (await here.health()).revocationsProblem !== undefined);
  assert.deepEqual([await post(here, box, one(1)), await healthOf(here)], [revoked, failing]);
  await here.stop();
  await here.start({ crlEveryMs: 10 });
  assert.deepEqual([await post(here, box, one(2)), await healthOf(here)], [revoked, failing]);
  writeFileSync(crlOf(here), after);
  await until(async () => (await here.health()).status === "ok");
  assert.deepEqual(await post(here, box, one(3)), revoked);
});

test("a newer list that doesn't name what was revoked doesn't let it in again", async (t) => {
  const { here, box } = await twoLists(t);
  await here.start({ crlEveryMs: 10 });
  assert.equal((await post(here, box, one(0))).status, 403);
  // As the CA writes it once a certificate has long expired: another is revoked then.
  const later = Date.now() + 40 * 86_400_000;
  const ca = await here.ca();
  await ca.issueForSandbox("other", { out: join(here.dir, "o.pem"), validMs: 3_600_000, renew: true }, later);
  await ca.revoke("other", later);
  await until(async () => (await here.health()).revoked === 2);
  assert.deepEqual(await healthOf(here), { status: "ok", revoked: 2, problem: undefined });
  assert.equal((await post(here, box, one(1))).status, 403);
});

test("who was refused counts until it is gone", async (t) => {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  await here.start({ handshakesPerAddress: 2, handshakeMs: 600_000, lingerMs: 600_000 });
  const box = await here.bundle("box");
  const { ca } = readBundle(box);
  const raw = () =>
    connect({ port: Number(here.url.port), host: "127.0.0.1", localAddress: "127.0.0.2", allowHalfOpen: true });
  const stay = async (): Promise<Socket> => {
    const socket = raw();
    t.after(() => void socket.destroy());
    const unknown = tlsConnect({ socket, ca, servername: "localhost" });
    unknown.on("error", () => undefined);
    await once(unknown, "data");
    return socket;
  };
  const refused = [await stay(), await stay()];
  const third = raw();
  third.on("error", () => undefined);
  t.after(() => void third.destroy());
  let isCut = false;
  for (const event of ["end", "close"]) third.on(event, () => (isCut = true));
  third.resume();
  await until(() => isCut);
  assert.equal((await post(here, box, one(0))).status, 200);
  for (const socket of refused) socket.destroy();
});
