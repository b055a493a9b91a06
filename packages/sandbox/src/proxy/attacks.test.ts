import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { answer, brief, events, exchange, jsonRequest, RawExecd, standBefore } from "../../test/recording-proxy.ts";

const DONE = events({ type: "execution_complete" });

test("what two servers could frame in two ways never gets to execd, and that somebody tried is told", async () => {
  const execd = await RawExecd.start((socket) => socket.end(DONE));
  await using stand = await standBefore(execd.url);
  const post = (headers: string, body = "") => `POST /command HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`;
  const hidden = "GET /files?path=/ HTTP/1.1\r\nHost: x\r\n\r\n";
  const refused: readonly string[] = [
    post("Content-Length: 6\r\nTransfer-Encoding: chunked", `0\r\n\r\n${hidden}`),
    post("Transfer-Encoding: chunked\r\nContent-Length: 6", `0\r\n\r\n${hidden}`),
    post("Content-Length: 2\r\nContent-Length: 2", "{}"),
    post("Content-Length: 2, 2", "{}"),
    post("Content-Length: +2", "{}"),
    post("Content-Length: 0x2", "{}"),
    post("Content-Length : 2", "{}"),
    post(" Content-Length: 2", "{}"),
    post("X: y\r\n Content-Length: 2", "{}"),
    post("X: y\r\n\tz", "{}"),
    post("Transfer-Encoding: identity, chunked", "0\r\n\r\n"),
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
    post("Transfer-Encoding: xchunked", "0\r\n\r\n"),
    post("Transfer-Encoding:\vchunked", "0\r\n\r\n"),
    post("X: a\0b"),
    post("X: a\nContent-Length: 2", "{}"),
    post("no colon"),
    post(": empty"),
    "POST /command HTTP/1.1 extra\r\nHost: x\r\n\r\n",
    "POST  /command HTTP/1.1\r\nHost: x\r\n\r\n",
    "\r\nPOST /command HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /command HTTP/2.0\r\nHost: x\r\n\r\n",
    "POST /command HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "POST http:command HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    "POST /%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    "CONNECT 127.0.0.1:44772 HTTP/1.1\r\nHost: x\r\n\r\n",
  ];
  for (const request of refused) {
    assert.match(
      (await exchange(stand.port, request)).toString(),
      /^HTTP\/1\.1 400 Bad Request\r\n.*\{"code":"INVALID_REQUEST",/s,
      JSON.stringify(request),
    );
  }
  assert.equal(execd.bytes, "", "nothing was passed on");
  const frames = await stand.sink.have(refused.length);
  for (const { error, action_type } of frames) {
    assert.equal(action_type, "system.application.control");
    assert.match(error ?? "", /^refused by the proxy: /);
  }
  execd.close();
});

test("a body that is chunked otherwise than it says ends the call, and nothing behind it is passed on", async () => {
  const bodies = [
    "2\n{}\r\n0\r\n\r\n",
    "2 \r\n{}\r\n0\r\n\r\n",
    "-2\r\n{}\r\n",
    "2\r\n{}xx0\r\n\r\n",
    "0x2\r\n{}\r\n0\r\n\r\n",
    "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n",
  ];
  for (const body of bodies) {
    const execd = await RawExecd.start(() => undefined);
    await using stand = await standBefore(execd.url);
    const head = "POST /command HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const got = await exchange(stand.port, head, body, "GET /ping HTTP/1.1\r\n\r\n");
    assert.match(got.toString(), /^HTTP\/1\.1 400 /, JSON.stringify(body));
    assert.ok(!execd.bytes.includes("/ping"));
    const [frame] = await stand.sink.have(1);
    assert.match(frame?.error ?? "", /^refused by the proxy/);
    execd.close();
  }
});

test("what is told is what Go's decoder takes, in whatever pieces and framing it comes", async () => {
  const bodies: readonly (readonly [body: string, command: string])[] = [
    ['{"command":"rm -rf /","command":"ls"}', "ls"],
    ['{"command":"ls","Command":"rm -rf /"}', "rm -rf /"],
    ['{"command":"ls"}{"command":"rm -rf /"}', "ls"],
    ['{"command":"ls"} garbage', "ls"],
    ['{"command":"ls","command":null}', "ls"],
    ['{"comman\\u0064":"ls"}', "ls"],
    ['{"command":"l\xffs"}', "l\uFFFDs"],
    [`${" ".repeat(100_000)}{"command":"ls"}${" ".repeat(100_000)}`, "ls"],
  ];
  for (const [body, command] of bodies) {
    const execd = await RawExecd.start((socket, text) => text.endsWith("0\r\n\r\n") && socket.end(DONE));
    await using stand = await standBefore(execd.url);
    const bytes = Buffer.from(body, "latin1");
    const middle = bytes.length >> 1;
    const chunk = (part: Buffer) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)};x=y\r\n`), part, Buffer.from("\r\n")]);
    const parts = [chunk(bytes.subarray(0, middle)), chunk(bytes.subarray(middle)), "0\r\n\r\n"];
    const head = "POST /command HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n";
    await exchangeWhole(stand.port, [head, ...parts], execd);
    const [frame] = await stand.sink.have(1);
    assert.deepEqual([frame?.input, frame?.output], [{ command }, { exit_code: 0 }]);
    execd.close();
  }
});

test("a list that Go fills from an older one is told as not read", async () => {
  const execd = await RawExecd.start((socket) => socket.end(DONE));
  await using stand = await standBefore(execd.url);
  const body = '{"argv":["sh","-c","evil"],"ARGV":["sh"],"Argv":[null,null,null]}';
  await exchange(stand.port, jsonRequest("POST /command", body));
  const [frame] = await stand.sink.have(1);
  assert.equal(frame?.action_type, "system.command.execute");
  assert.match(JSON.stringify(frame?.input), /^\{"undecoded":"MISMATCH: /);
  execd.close();
});

/** The fixture answers at each head: here only the last bytes matter. */
async function exchangeWhole(port: number, parts: readonly (string | Buffer)[], execd: RawExecd): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  for (const part of parts) socket.write(part);
  const wanted = Buffer.concat(parts.map((part) => Buffer.from(part)));
  await once(socket, "data");
  assert.ok(execd.bytes.length <= wanted.length);
  assert.equal(execd.bytes, wanted.toString("latin1"), "byte for byte, its framing too");
  socket.destroy();
}

test("every way to write a path that execd would run is told as the command that it is", async () => {
  const execd = await RawExecd.start((socket) => socket.end(DONE));
  await using stand = await standBefore(execd.url);
  const port = execd.url.port;
  const tricks = [
    "/%63ommand",
    "//command",
    "/command/",
    `/proxy/${port}/command`,
    `/proxy/0${port}/proxy/${port}/%63ommand`,
    "/proxy/44772/command",
    "http://x/command?y",
  ];
  for (const [index, trick] of tricks.entries()) {
    await exchange(stand.port, jsonRequest(`POST ${trick}`, '{"command":"id"}'));
    const frame = (await stand.sink.have(index + 1))[index];
    assert.deepEqual(
      [frame?.action_type, frame?.input, frame?.binding.route, frame?.binding.sent_as],
      ["system.command.execute", { command: "id" }, "POST /command", trick.replace(/\?.*/, "")],
    );
  }
  execd.close();
});

test("through execd back to the proxy itself nothing passes, and it is told once", async () => {
  const execd = await RawExecd.start((socket) => socket.end(DONE));
  await using stand = await standBefore(execd.url);
  for (const [index, loop] of [
    `/proxy/${stand.port}/command`,
    `/proxy/${execd.url.port}/proxy/0${stand.port}`,
  ].entries()) {
    const got = await exchange(stand.port, jsonRequest(`POST ${loop}`, '{"command":"id"}'));
    assert.match(got.toString(), /^HTTP\/1\.1 508 .*"code":"PROXY_LOOP"/s);
    const frames = await stand.sink.have(index + 1);
    assert.deepEqual(
      [frames.length, frames[index]?.error],
      [index + 1, "refused by the proxy: it leads through execd back to this proxy"],
    );
  }
  assert.equal(execd.bytes, "");
  execd.close();
});

test("requests that are sent ahead are told one by one, each with its own answer", async () => {
  let count = 0;
  const execd = await RawExecd.start((socket) => {
    count++;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n${count === 3 ? "Connection: close\r\n" : ""}\r\n${count}`);
    if (count === 3) socket.end();
  });
  await using stand = await standBefore(execd.url);
  const one = (path: string) => `GET /files/download?path=${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const got = await exchange(stand.port, one("/1") + one("/2") + one("/3"));
  assert.deepEqual(got.toString().match(/\r\n\r\n(\d)/g), ["\r\n\r\n1", "\r\n\r\n2", "\r\n\r\n3"]);
  assert.deepEqual(
    (await stand.sink.have(3)).map((frame) => frame.input),
    [{ path: "/1" }, { path: "/2" }, { path: "/3" }],
  );
  execd.close();
});

test("odd answers pass as they are, and are told as far as they can be", async () => {
  const odd: readonly (readonly [what: string, bytes: string, error: string | undefined])[] = [
    ["a directory", `HTTP/1.1 200 OK\r\nContent-Length: ${2n ** 63n - 1n}\r\n\r\n`, "the answer was cut"],
    [
      "a body that was cut",
      'HTTP/1.1 416 Requested Range Not Satisfiable\r\nContent-Length: 100\r\n\r\n{"code":"UNK',
      "HTTP 416",
    ],
    ["two objects", answer("404 Not Found", '{"code":"A","message":""}{"code":"B"}'), "HTTP 404 A"],
    ["not HTTP", "hello", "the answer was cut"],
    ["nothing", "", "the answer was cut"],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-", "the answer was cut"],
    ["bad chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "the answer was cut"],
    ["no length", "HTTP/1.0 200 OK\r\n\r\nall of it", undefined],
    [
      "an interim answer",
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
      undefined,
    ],
    ["one more than was asked for", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n", undefined],
  ];
  for (const [what, bytes, error] of odd) {
    const execd = await RawExecd.start((socket) => socket.end(bytes));
    await using stand = await standBefore(execd.url);
    const got = await exchange(stand.port, "GET /files/download?path=/a HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal(got.toString("latin1"), bytes, what);
    const [frame] = await stand.sink.have(1);
    assert.equal(frame?.error, error, what);
    assert.equal(frame?.output === undefined, error !== undefined, what);
    execd.close();
  }
});

test("any bytes at all leave the proxy standing", async () => {
  const execd = await RawExecd.start((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  await using stand = await standBefore(execd.url);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 3 }), async (parts) => {
      const socket = connect({ port: stand.port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      for (const part of parts) socket.write(part);
      socket.end("\r\n\r\n");
      await once(socket.resume(), "close");
    }),
    { numRuns: 50 },
  );
  assert.match((await exchange(stand.port, "GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")).toString(), /^HTTP\/1\.1 200/);
  execd.close();
});

test("an execd that isn't there is 502 in its own shape, and told as a failure", async () => {
  const execd = await RawExecd.start(() => undefined);
  const { url } = execd;
  execd.close();
  await using stand = await standBefore(url);
  const got = await exchange(stand.port, jsonRequest("POST /command", '{"command":"ls"}'));
  assert.match(got.toString(), /^HTTP\/1\.1 502 Bad Gateway\r\n.*\{"code":"EXECD_UNREACHABLE","message":".*--execd/s);
  assert.deepEqual((await stand.sink.have(1)).map(brief), [
    {
      ...{ type: "system.command.execute", route: "POST /command", endpoint: "/command", input: { command: "ls" } },
      error: "execd could not be reached: ECONNREFUSED",
    },
  ]);
});
