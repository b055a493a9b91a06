import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { CLOSE } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import { Client, type Frame, openServer, type TestServer } from "../support/open-server.ts";

const ASKED = "exec-approval-request";

function registering(token: string, deviceType = "client") {
  return { id: uuidv7(), from: uuidv7(), to: "gateway", action: "register", payload: { deviceType, token } };
}

async function come(server: TestServer, token: string, deviceType?: string): Promise<Client> {
  const client = await Client.open(`${server.url}/ws`);
  client.send(registering(token, deviceType));
  assert.equal((await client.next()).action, "registered");
  return client;
}

async function comeByRpc(server: TestServer, token: string): Promise<Client> {
  const client = await Client.open(server.url);
  client.send({ type: "auth", token });
  assert.deepEqual(await client.next(), { type: "auth", ok: true });
  return client;
}

async function wait(server: TestServer, commands: readonly string[]): Promise<void> {
  for (const [index, command] of commands.entries()) {
    const body = { command, cwd: server.workspace, session: `s${Math.floor(index / 50)}` };
    const { href } = new URL("/api/v1/exec", server.url);
    const headers = {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      prefer: "respond-async",
    };
    const response = await fetch(href, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(response.status, 202, await response.text());
  }
}

async function cards(client: Client, count: number): Promise<Frame[]> {
  const got: Frame[] = [];
  while (got.length < count)
    got.push(await client.next(({ action, event }) => action === ASKED || event === "exec.approval_request"));
  return got;
}

test("every role that sees cards is sent the same, as listed, with ids of its own", async (t) => {
  const server = await openServer(t);
  await wait(server, ["touch a", "touch b", "touch ü"]);
  const { body } = await server.api("GET", "/api/v1/approvals");
  const observer = await server.makeToken("observer");
  const clients = [await come(server, server.token), await come(server, observer.token)];
  const frames = await Promise.all(clients.map((client) => cards(client, 3)));
  for (const got of frames)
    assert.deepEqual(
      got.map(({ payload }) => payload),
      body,
    );
  assert.equal(new Set(frames.flat().map(({ id }) => id)).size, 6);
  assert.deepEqual(Object.keys(frames[0]?.[0] ?? {}), ["id", "from", "to", "action", "payload"]);
  const rpc = await Promise.all(
    [server.token, observer.token].map(async (token) => cards(await comeByRpc(server, token), 3)),
  );
  assert.deepEqual(rpc[0], rpc[1]);
  assert.deepEqual(
    rpc[0]?.map(({ data }) => data?.command),
    ["touch a", "touch b", "touch ü"],
  );
});

test("a client that comes later is sent a card as it is then", async (t) => {
  const server = await openServer(t);
  await wait(server, ["touch a", "touch a", "touch b"]);
  const first = await cards(await come(server, server.token), 2);
  assert.deepEqual(
    first.map(({ payload }) => [payload?.command, payload?.count]),
    [
      ["touch a", 2],
      ["touch b", undefined],
    ],
  );
  await wait(server, ["touch a"]);
  const denied = first[1]?.payload?.approvalId;
  await server.api("POST", `/api/v1/approvals/${denied}/decision`, { decision: "deny" });
  await wait(server, ["touch c"]);
  const later = await cards(await come(server, server.token), 2);
  assert.deepEqual(
    later.map(({ payload }) => [payload?.command, payload?.count]),
    [
      ["touch a", 3],
      ["touch c", undefined],
    ],
  );
});

test("a client that doesn't read holds up nobody, and is sent the rest when it does", async (t) => {
  const server = await openServer(t);
  // More than the kernel keeps for one socket.
  const long = "x".repeat(30_000);
  await wait(
    server,
    Array.from({ length: 400 }, (_, index) => `echo ${long} > f${index}`),
  );
  const slow = await come(server, server.token);
  slow.socket.pause();
  const others = [await come(server, server.token), await comeByRpc(server, server.token)];
  for (const other of others) assert.equal((await cards(other, 400)).length, 400);
  assert.equal((await server.api("GET", "/api/v1/state")).status, 200);
  slow.socket.resume();
  const ids = (await cards(slow, 400)).map(({ payload }) => payload?.approvalId);
  assert.equal(new Set(ids).size, 400);
});

test("more clients at once than may be without a token all log in", async (t) => {
  const server = await openServer(t, { strangersPerAddress: 4 });
  const strangers = await Promise.all(Array.from({ length: 30 }, () => Client.open(server.url)));
  for (const stranger of strangers) stranger.send({ type: "auth", token: server.token });
  for (const stranger of strangers) assert.deepEqual(await stranger.next(), { type: "auth", ok: true });
});

test("a connection without a token may not have the hub gather a large frame", async (t) => {
  const server = await openServer(t);
  for (const path of ["/ws", "/"]) {
    const stranger = await Client.open(server.url + path);
    stranger.socket.send("x".repeat(20 * 1024), { fin: false });
    const { code, reason } = await stranger.closed;
    assert.deepEqual([code, /strangerBytes/.test(reason)], [CLOSE.rateLimited, true]);
  }
  const known = await comeByRpc(server, server.token);
  known.send({ type: "req", id: "1", method: "getState", params: {}, more: "x".repeat(20 * 1024) });
  await known.next();
  assert.equal(known.socket.readyState, known.socket.OPEN);
});

test("a login counts from when its frame came, however busy the hub was", async (t) => {
  const loginMs = 300;
  const server = await openServer(t, { loginMs });
  const dialects = { "/ws": registering(server.token), "/": { type: "auth", token: server.token } };
  for (const [path, frame] of Object.entries(dialects)) {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const workerData = { url: server.url.replace("http", "ws") + path, frame: JSON.stringify(frame), flags };
    const client = new Worker(new URL("../support/busy-client.ts", import.meta.url), { workerData });
    t.after(() => client.terminate());
    const [open] = await once(client, "message");
    assert.equal(open, "open");
    const until = performance.now() + loginMs + 100;
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
    Atomics.wait(flags, 1, 0);
    // Reads nothing until the deadline is over.
    while (performance.now() < until);
    const [said] = await once(client, "message");
    assert.match(said, /^got .*"ok":true/);
  }
});
