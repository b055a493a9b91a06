import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import {
  dialProxy,
  echoUpstream,
  httpUpstream,
  listen,
  openProxy,
  worldOf,
} from "../../../hub/test/support/proxy-fixture.ts";

const A = "192.0.2.1";
const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";

/** Status line and text of an answer that ended the connection. */
function summary(answer: string): string[] {
  return [answer.split("\r\n")[0] as string, answer.split("\r\n\r\n")[1] as string];
}

async function ask(port: number, request: string): Promise<string[]> {
  const client = await dialProxy(port);
  client.send(request);
  return summary(await client.rest());
}

test("CONNECT carries bytes both ways, and each side may end first", async (t) => {
  const world = worldOf({ "a.example": [A] }, { [A]: await echoUpstream(t) });
  const { port, proxy, open } = await openProxy(t, { rule: { hosts: ["a.example"] }, dialer: world.dialer });
  const client = await dialProxy(port);
  // What comes behind the request belongs to the tunnel.
  client.send("CONNECT A.example.:443 HTTP/1.1\r\nHost: whatever\r\n\r\nhello ");
  assert.equal(String(await client.take(ESTABLISHED.length)), ESTABLISHED);
  client.send("world");
  client.socket.end();
  assert.equal(await client.rest(), "hello world");
  assert.deepEqual(
    [world.dialled, proxy.refused(), proxy.traffic(), open],
    [[`${A} 443`], [], { sentBytes: 11, receivedBytes: 11 }, { connections: 0 }],
  );
});

test("a megabyte through a tunnel arrives whole", async (t) => {
  const world = worldOf({ "a.example": [A] }, { [A]: await echoUpstream(t) });
  const { port } = await openProxy(t, { dialer: world.dialer });
  const client = await dialProxy(port);
  client.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  await client.take(ESTABLISHED.length);
  const sent = Buffer.alloc(1_000_000, "abcdefg");
  client.send(sent);
  client.socket.end();
  assert.equal(await client.rest(), sent.toString());
});

test("plain HTTP is forwarded to the host that was checked, without what is between neighbours", async (t) => {
  const seen: unknown[] = [];
  const upstream = await httpUpstream(t, async (request, response) => {
    seen.push([request.method, request.url, request.rawHeaders, String(await request.toArray())]);
    response.writeHead(201, "Made", [
      "X-Answer",
      "yes",
      "Keep-Alive",
      "timeout=5",
      "Set-Cookie",
      "a",
      "Set-Cookie",
      "b",
    ]);
    response.end("body");
  });
  const world = worldOf({ "a.example": [A] }, { [A]: upstream });
  const { port } = await openProxy(t, { dialer: world.dialer });
  // A GET with a body, too: its bytes mustn't look like a second request.
  const get = await dialProxy(port);
  get.send("GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n");
  await get.closed;
  const bare = ["Host", "a.example", "Connection", "close", "Transfer-Encoding", "chunked"];
  assert.deepEqual(seen.splice(0), [["GET", "/", bare, "GET /"]]);
  const client = await dialProxy(port);
  client.send(
    "POST http://a.example:8080/p?q=1 HTTP/1.1\r\nHost: other.example\r\nX-One: 1\r\nConnection: x-two, keep-alive\r\n" +
      "X-Two: 2\r\nProxy-Authorization: secret\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsent\r\n0\r\n\r\n",
  );
  const answer = await client.rest();
  const headers = ["X-One", "1", "Host", "a.example:8080", "Connection", "close", "Transfer-Encoding", "chunked"];
  assert.deepEqual([world.dialled, seen], [[`${A} 80`, `${A} 8080`], [["POST", "/p?q=1", headers, "sent"]]]);
  const [head, body] = answer.split("\r\n\r\n", 2) as [string, string];
  assert.match(head, /^HTTP\/1\.1 201 Made\r\nX-Answer: yes\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n/);
  assert.doesNotMatch(head, /keep-alive/i);
  assert.match(head, /\r\nConnection: close/i);
  assert.match(body + answer, /body/);
});

test("a host without a path, and one request per connection", async (t) => {
  const urls: unknown[] = [];
  const upstream = await httpUpstream(t, (request, response) => {
    urls.push([request.headers.host, request.url]);
    response.end();
  });
  const world = worldOf({ "a.example": [A], "b.example": [A] }, { [A]: upstream });
  const { port } = await openProxy(t, { dialer: world.dialer });
  const client = await dialProxy(port);
  client.send(
    "GET http://a.example HTTP/1.1\r\n\r\nGET http://b.example/2 HTTP/1.1\r\n\r\nCONNECT b.example:1 HTTP/1.1\r\n\r\n",
  );
  await client.closed;
  assert.deepEqual([urls, world.dialled], [[["a.example", "/"]], [`${A} 80`]]);
});

test("what isn't allowed is refused, says that it was the jail, and is kept for the outcome once", async (t) => {
  const world = worldOf({ "a.example": [A], "inside.example": ["10.0.0.1"], "here.example": ["::1", "127.0.0.1"] }, {});
  const hosts = ["a.example", "inside.example", "here.example", "127.0.0.1", "metadata.google.internal"];
  const { port, proxy } = await openProxy(t, { rule: { hosts }, dialer: world.dialer });
  const answers = [
    await ask(port, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n"),
    await ask(port, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n"),
    await ask(port, `CONNECT ${A}:443 HTTP/1.1\r\n\r\n`),
    await ask(port, "CONNECT inside.example:22 HTTP/1.1\r\n\r\n"),
    await ask(port, "CONNECT here.example:22 HTTP/1.1\r\n\r\n"),
    await ask(port, "CONNECT 127.1:22 HTTP/1.1\r\n\r\n"),
    await ask(port, "CONNECT metadata.google.internal:80 HTTP/1.1\r\n\r\n"),
    await ask(port, "CONNECT [::1]:22 HTTP/1.1\r\n\r\n"),
    (await ask(port, "GET http://evil.example/secret HTTP/1.1\r\n\r\n")).slice(0, 1),
  ];
  const reasons = [
    "evil.example isn't among the hosts that this command may reach",
    "evil.example isn't among the hosts that this command may reach",
    "192.0.2.1 isn't among the hosts that this command may reach",
    "inside.example is a private address",
    "here.example is the machine itself",
    "127.0.0.1 is the machine itself",
    "metadata.google.internal is never reached from a jail",
    "::1 isn't among the hosts that this command may reach",
  ];
  const REFUSED = "HTTP/1.1 403 Refused by the jail";
  assert.deepEqual(answers, [...reasons.map((reason) => [REFUSED, `Refused by the jail: ${reason}.\n`]), [REFUSED]]);
  assert.deepEqual(proxy.refused(), [
    "the jail refused a connection to evil.example:443: evil.example isn't among the hosts that this command may reach",
    "the jail refused a connection to 192.0.2.1:443: 192.0.2.1 isn't among the hosts that this command may reach",
    "the jail refused a connection to inside.example:22: inside.example is a private address",
    "the jail refused a connection to here.example:22: here.example is the machine itself",
    "the jail refused a connection to 127.0.0.1:22: 127.0.0.1 is the machine itself",
    "the jail refused a connection to metadata.google.internal:80: metadata.google.internal is never reached from a jail",
    "the jail refused a connection to [::1]:22: ::1 isn't among the hosts that this command may reach",
    "the jail refused a connection to evil.example:80: evil.example isn't among the hosts that this command may reach",
  ]);
  assert.deepEqual(world.dialled, []);
});

test("of a name's addresses only the checked ones are dialled, whatever the name means next", async (t) => {
  const answers = [["127.0.0.1", A, "169.254.169.254", "fe80::1%2", "192.0.2.66"], ["127.0.0.1"]];
  const world = worldOf({}, { [A]: await echoUpstream(t) });
  const { port } = await openProxy(t, {
    dialer: {
      ...world.dialer,
      resolve: async () => answers.shift() ?? [],
      ownAddresses: () => ["192.0.2.66", "fe80::2%eth0"],
    },
  });
  const client = await dialProxy(port);
  client.send("CONNECT turns.example:443 HTTP/1.1\r\n\r\n");
  await client.take(ESTABLISHED.length);
  const refused = "Refused by the jail: turns.example is the machine itself.\n";
  assert.deepEqual((await ask(port, "CONNECT turns.example:443 HTTP/1.1\r\n\r\n"))[1], refused);
  assert.deepEqual(world.dialled, [`${A} 443`]);
});

test("an address that the kernel would deliver to this machine isn't dialled", async (t) => {
  const world = worldOf({ "a.example": [A, "2001:db8::1"] }, {});
  const routes = { [A]: "here", "2001:db8::1": "nowhere" } as Record<string, "here" | "nowhere">;
  const routeTo = async (address: string) => routes[address] ?? "elsewhere";
  const { port } = await openProxy(t, { dialer: { ...world.dialer, routeTo } });
  assert.deepEqual(
    [
      await ask(port, "CONNECT a.example:443 HTTP/1.1\r\n\r\n"),
      await ask(port, "CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n"),
      world.dialled,
    ],
    [
      ["HTTP/1.1 403 Refused by the jail", "Refused by the jail: a.example is the machine itself.\n"],
      ["HTTP/1.1 502 Bad Gateway", "From the jail, 2001:db8::1 can't be reached (no route).\n"],
      [],
    ],
  );
});

test("what can't be reached is 502, what doesn't answer 504", async (t) => {
  const clock = new FakeClock();
  const closedPort = worldOf({ "a.example": [A] }, {});
  const { port } = await openProxy(t, { dialer: closedPort.dialer });
  assert.deepEqual(await ask(port, "CONNECT no.example:443 HTTP/1.1\r\n\r\n"), [
    "HTTP/1.1 502 Bad Gateway",
    "From the jail, no.example can't be reached (ENOTFOUND).\n",
  ]);
  assert.deepEqual(await ask(port, "CONNECT a.example:443 HTTP/1.1\r\n\r\n"), [
    "HTTP/1.1 502 Bad Gateway",
    "From the jail, a.example can't be reached (ECONNREFUSED).\n",
  ]);
  const asked = Promise.withResolvers<void>();
  const slow = await openProxy(t, {
    clock,
    dialer: {
      resolve: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    },
  });
  const answer = ask(slow.port, "CONNECT slow.example:443 HTTP/1.1\r\n\r\n");
  await asked.promise;
  clock.advance(30_000);
  assert.deepEqual(await answer, [
    "HTTP/1.1 504 Gateway Timeout",
    "From the jail, slow.example didn't answer in time.\n",
  ]);
});

test("a server whose answer can't be understood is 502, and the hub goes on", async (t) => {
  const answers = [
    "",
    "nonsense",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 \x01\x7f\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
  ];
  const upstream = await listen(
    t,
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (request) => socket.end(answers[Number(/\d/.exec(String(request)))] ?? "", "latin1"));
    }),
  );
  const world = worldOf({ "a.example": [A] }, { [A]: upstream });
  const { port, open } = await openProxy(t, { dialer: world.dialer });
  const heard: unknown[] = [];
  for (const n of answers.keys()) heard.push((await ask(port, `GET http://a.example/${n} HTTP/1.1\r\n\r\n`))[0]);
  assert.deepEqual(
    heard,
    answers.map(() => "HTTP/1.1 502 Bad Gateway"),
  );
  while (open.connections > 0) await new Promise(setImmediate);
});

test("an answer that breaks off isn't made to look whole", async (t) => {
  const upstream = await listen(
    t,
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () => socket.resetAndDestroy());
      });
    }),
  );
  const world = worldOf({ "a.example": [A] }, { [A]: upstream });
  const { port } = await openProxy(t, { dialer: world.dialer });
  const client = await dialProxy(port);
  client.send("GET http://a.example/ HTTP/1.0\r\n\r\n");
  assert.doesNotMatch(await client.rest(), /\r\n\r\nhalf.*(\n|0)/);
});

test("a client that doesn't read holds its server up, not the hub's memory", async (t) => {
  const piece = Buffer.alloc(64 * 1024);
  let poured = 0;
  const cut = Promise.withResolvers<void>();
  const upstream = await listen(
    t,
    createServer((socket) => {
      const pour = () => {
        for (let more = true; more && !socket.destroyed; poured += piece.length) more = socket.write(piece);
      };
      socket.on("error", () => undefined).on("drain", pour);
      socket.once("close", () => cut.resolve());
      pour();
    }),
  );
  const world = worldOf({ "a.example": [A] }, { [A]: upstream });
  const { port, proxy } = await openProxy(t, { dialer: world.dialer, limits: { idleMs: 200 } });
  const client = await dialProxy(port);
  client.socket.pause();
  client.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  // Nothing passes any more, and the idle limit ends it.
  await cut.promise;
  client.socket.destroy();
  assert.ok(poured > piece.length && proxy.traffic().receivedBytes < 32 * 1024 * 1024);
});

test("what isn't a request is told so", async (t) => {
  const { port, open } = await openProxy(t, { limits: { headerBytes: 1_000 } });
  const requests: Array<[string, string]> = [
    ["GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET https://a.example/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET ftp://a.example/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET http://user:pass@a.example/ HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET http:///x HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT a.example HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT a.example:99999 HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["CONNECT a.example:443 HTTP/1.1\r\nbroken\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "HTTP/1.1 400 Bad Request"],
    ["\x04\x01\x00\x50\x7f\x00\x00\x01\x00", "HTTP/1.1 400 Bad Request"],
    ["\r\n\r\n\0\0\0\0", "HTTP/1.1 400 Bad Request"],
    [
      `GET http://a.example/ HTTP/1.1\r\nX: ${"x".repeat(2_000)}\r\n\r\n`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
    [`GET http://a.example/${"x".repeat(2_000)} HTTP/1.1\r\n\r\n`, "HTTP/1.1 431 Request Header Fields Too Large"],
    [
      "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 400 Bad Request",
    ],
  ];
  const answers: Array<[string, string]> = [];
  for (const [request] of requests) answers.push([request, (await ask(port, request))[0] as string]);
  assert.deepEqual(answers, requests);
  while (open.connections > 0) await new Promise(setImmediate);
});

test("whoever says nothing whole in time is cut off", async (t) => {
  const clock = new FakeClock();
  const { port, open } = await openProxy(t, { clock });
  for (const part of [
    "",
    "GET http://a.exa",
    "CONNECT a.example:443 HTTP/1.1\r\nX: 1\r\n",
    "\x05",
    "\x05\x01\x00\x05\x01",
  ]) {
    const client = await dialProxy(port);
    if (part) client.send(part);
    // Until the proxy knows it.
    if (part.startsWith("\x05\x01")) await client.take(2);
    while (open.connections === 0) await new Promise(setImmediate);
    clock.advance(9_999);
    assert.equal(client.socket.destroyed, false);
    clock.advance(1);
    await client.closed;
  }
  assert.deepEqual(open, { connections: 0 });
});

test("an idle tunnel is cut off on both sides", async (t) => {
  const held = Promise.withResolvers<void>();
  const upstream = await listen(
    t,
    createServer((socket) => {
      socket.resume();
      socket.on("error", () => undefined);
      socket.once("close", () => held.resolve());
    }),
  );
  const world = worldOf({ "a.example": [A] }, { [A]: upstream });
  const { port } = await openProxy(t, { dialer: world.dialer, limits: { idleMs: 500 } });
  const client = await dialProxy(port);
  client.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  await Promise.all([client.closed, held.promise]);
});

test("more connections than allowed are cut off, and the outcome hears of it once", async (t) => {
  const { port, proxy, open } = await openProxy(t, { limits: { connectionsPerRoom: 2 } });
  const clients = [await dialProxy(port), await dialProxy(port), await dialProxy(port), await dialProxy(port)];
  await Promise.all([clients[2]?.closed, clients[3]?.closed]);
  assert.deepEqual(
    [open.connections, proxy.refused()],
    [2, ["the jail refused a connection: too many at once (limit: connectionsPerRoom)"]],
  );
  const all = await openProxy(t, { limits: { connections: 0 } });
  await (await dialProxy(all.port)).closed;
  assert.deepEqual(all.proxy.refused(), ["the jail refused a connection: too many at once (limit: connections)"]);
});

test("refusals are kept up to a bound, the rest counted", async (t) => {
  const { port, proxy } = await openProxy(t, { rule: { hosts: [] }, limits: { refusalsKept: 2 } });
  for (let n = 0; n < 5; n += 1) await ask(port, `CONNECT h${n}.example:443 HTTP/1.1\r\n\r\n`);
  assert.deepEqual([proxy.refused().length, proxy.refused().at(-1)], [3, "the jail refused 3 more connections"]);
});

test("names are looked up a few at a time, and nobody is asked about one whose client has gone", async (t) => {
  const asked: string[] = [];
  const answers: Array<(addresses: string[]) => void> = [];
  const resolve = (name: string) => {
    asked.push(name);
    return new Promise<string[]>((answer) => answers.push(answer));
  };
  const { port, open } = await openProxy(t, { limits: { lookupsPerRoom: 1 }, dialer: { resolve } });
  const clients = [];
  for (const name of ["one", "two", "three"]) {
    const client = await dialProxy(port);
    client.send(`CONNECT ${name}.example:443 HTTP/1.1\r\n\r\n`);
    clients.push(client);
    while (asked.length === 0) await new Promise(setImmediate);
  }
  clients[1]?.socket.resetAndDestroy();
  while (open.connections > 2) await new Promise(setImmediate);
  answers.shift()?.(["127.0.0.1"]);
  while (answers.length === 0) await new Promise(setImmediate);
  assert.deepEqual(asked, ["one.example", "three.example"]);
});

test("closing cuts everything, at whatever stage it is", async (t) => {
  const world = worldOf({ "a.example": [A] }, { [A]: await echoUpstream(t) });
  const dialer = {
    ...world.dialer,
    resolve: (name: string) =>
      world.dialer.resolve?.(name).catch(() => new Promise<string[]>(() => undefined)) as never,
  };
  const { port, proxy, open } = await openProxy(t, { dialer });
  const silent = await dialProxy(port);
  const resolving = await dialProxy(port);
  resolving.send("CONNECT never.example:443 HTTP/1.1\r\n\r\n");
  const tunnelled = await dialProxy(port);
  tunnelled.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  await tunnelled.take(ESTABLISHED.length);
  proxy.close();
  await Promise.all([silent.closed, resolving.closed, tunnelled.closed]);
  assert.deepEqual(open, { connections: 0 });
});

test("a client that leaves early takes its upstream along", async (t) => {
  const upstream = createServer((socket) => socket.on("error", () => undefined).resume());
  const world = worldOf({ "a.example": [A] }, { [A]: await listen(t, upstream) });
  const { port } = await openProxy(t, { dialer: world.dialer });
  for (const request of ["CONNECT a.example:1 HTTP/1.1\r\n\r\n", "GET http://a.example/ HTTP/1.1\r\n\r\n"]) {
    const client = await dialProxy(port);
    const connected = once(upstream, "connection");
    client.send(request);
    const [socket] = await connected;
    client.socket.resetAndDestroy();
    if (!socket.destroyed) await once(socket, "close");
  }
});
