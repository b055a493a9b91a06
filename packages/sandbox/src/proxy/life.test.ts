import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { canonicalize } from "@countersign/receipts";
import { WebSocket, WebSocketServer } from "ws";
import { answer, brief, events, exchange, jsonRequest, RawExecd, standBefore } from "../../test/recording-proxy.ts";
import type { Denial, Permit, ProposedCall } from "./record/before.ts";

const sha = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const EMPTY = sha("");
const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (event: object) => {
  const text = `${JSON.stringify(event)}\n\n`;
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
};
const INIT = { type: "init", text: "c1" };

/** An execd that begins to answer and goes on when it is told to. */
async function slowExecd(begin: string) {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const execd = await RawExecd.start((socket, text) => {
    if (text.startsWith("GET /command/status/c1")) socket.end(answer("200 OK", '{"running":false,"exit_code":5}'));
    else socket.write(begin, () => resolve(socket));
  });
  return { execd, begun: promise };
}

test("an answer is passed on while it comes", async () => {
  const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
  await using stand = await standBefore(execd.url);
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(jsonRequest("POST /command", '{"command":"x"}'));
  const [first] = (await once(agent, "data")) as [Buffer];
  assert.ok(first.toString().includes('"init"'));
  (await begun).end(`${chunk({ type: "execution_complete" })}0\r\n\r\n`);
  await once(agent.resume(), "end");
  assert.deepEqual((await stand.sink.have(1))[0]?.output, { exit_code: 0 });
  execd.close();
});

/** What was on record when the agent had read up to this text. */
async function recordedAt(stand: Awaited<ReturnType<typeof standBefore>>, agent: Socket, text: string) {
  let read = "";
  for await (const bytes of agent.iterator({ destroyOnReturn: false })) {
    read += bytes;
    if (read.includes(text)) return stand.sink.frames.map(brief);
  }
  throw new Error(`the answer ended without ${text}`);
}

test("a command's end is on record before the agent can read of it, and once", async () => {
  const ends = [
    [{ type: "execution_complete" }, { output: { exit_code: 0 } }],
    [{ type: "error", error: { ename: "CommandExecError", evalue: "3" } }, { output: { exit_code: 3 } }],
    [{ type: "error", error: { ename: "Killed", evalue: "x" } }, { error: "the exit code isn't known: Killed" }],
  ] as const;
  for (const line of ["POST /command", "POST /session/s1/run", "POST /code", "POST /v1/isolated/session/s1/run"]) {
    for (const [event, told] of ends) {
      const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
      await using stand = await standBefore(execd.url);
      const agent = connect(stand.port, "127.0.0.1");
      agent.write(jsonRequest(line, '{"command":"x","code":"x"}'));
      assert.deepEqual(await recordedAt(stand, agent, '"init"'), []);
      const socket = await begun;
      socket.write(chunk({ type: "stdout", text: "out" }) + chunk(event));
      const recorded = await recordedAt(stand, agent, `"type":"${event.type}"`);
      assert.deepEqual(
        recorded.map((frame) => ({ ...frame, route: "", endpoint: "" })),
        [{ type: "system.command.execute", route: "", endpoint: "", input: { command: "x" }, ...told }],
        line,
      );
      assert.equal(stand.sink.untold, 0);
      // What follows says nothing new: a ping, a cut.
      socket.write(chunk({ type: "ping" }));
      await recordedAt(stand, agent, '"ping"');
      socket.destroy();
      await once(agent.resume(), "close");
      await stand.proxy.close();
      assert.equal(stand.sink.frames.length, 1);
      execd.close();
    }
  }
});

test("an end that comes in pieces is on record with its last", async () => {
  const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
  await using stand = await standBefore(execd.url);
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(jsonRequest("POST /command", '{"command":"x"}'));
  await recordedAt(stand, agent, '"init"');
  const socket = await begun;
  const end = chunk({ type: "execution_complete" });
  socket.write(end.slice(0, 20));
  assert.deepEqual(await recordedAt(stand, agent, end.slice(10, 20)), []);
  socket.write(end.slice(20));
  assert.deepEqual((await recordedAt(stand, agent, end.slice(20, -4))).length, 1);
  agent.destroy();
  execd.close();
});

test("code is told when its stream closes, and a command in the background when it ends", async () => {
  for (const [line, body] of [
    ["POST /code", '{"context":{"language":"python"},"code":"x"}'],
    ["POST /command", '{"command":"x","background":true}'],
  ] as const) {
    const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
    await using stand = await standBefore(execd.url);
    const agent = connect(stand.port, "127.0.0.1");
    agent.write(jsonRequest(line, body));
    const socket = await begun;
    socket.write(chunk({ type: "execution_complete" }));
    assert.deepEqual(await recordedAt(stand, agent, "execution_complete"), [], line);
    socket.end("0\r\n\r\n");
    assert.equal((await stand.sink.have(1)).length, 1);
    agent.destroy();
    execd.close();
  }
});

test("a call counts as untold from before execd has a byte of it until it is told; one that execd never gets doesn't", async () => {
  let untoldAtExecd = -1;
  const execd = await RawExecd.start((socket, text) => {
    if (text.startsWith("GET /command/status/")) return void socket.end(answer("200 OK", '{"running":true}'));
    untoldAtExecd = stand.sink.untold;
    socket.end(events(INIT, { type: "execution_complete" }));
  });
  await using stand = await standBefore(execd.url);
  await exchange(stand.port, jsonRequest("POST /command", '{"command":"x"}'));
  await stand.sink.have(1);
  assert.deepEqual([untoldAtExecd, stand.sink.untold], [1, 0]);
  // In the background it goes on, and isn't told before it ends or the proxy does.
  await exchange(stand.port, jsonRequest("POST /command", '{"command":"x","background":true}'));
  assert.deepEqual([untoldAtExecd, stand.sink.untold, stand.sink.frames.length], [1, 1, 1]);
  await exchange(stand.port, "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");
  assert.equal((await stand.sink.have(2)).length, 2);
  assert.equal(stand.sink.untold, 1);
  await stand.proxy.close();
  assert.deepEqual([stand.sink.untold, stand.sink.frames.length], [0, 3]);
  execd.close();
});

test("an agent that leaves is gone for execd too, and its command's end is asked for", async () => {
  const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
  await using stand = await standBefore(execd.url);
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(jsonRequest("POST /command", '{"command":"x"}'));
  await once(agent, "data");
  const gone = once(await begun, "close");
  agent.destroy();
  await gone;
  assert.deepEqual((await stand.sink.have(1))[0]?.output, { exit_code: 5 });
  execd.close();
});

test("a client that waits for 100 gets execd's own", async () => {
  const execd = await RawExecd.start((socket, text) => {
    if (text.includes("Expect:")) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    socket.once("data", () => socket.end(events({ type: "execution_complete" })));
  });
  await using stand = await standBefore(execd.url);
  const agent = connect(stand.port, "127.0.0.1");
  const [head, body] = jsonRequest("POST /command", '{"command":"x"}', "Expect: 100-continue\r\n").split(
    "\r\n\r\n",
  ) as [string, string];
  agent.write(`${head.replace(/Content-Length: \d+/, "Transfer-Encoding: chunked")}\r\n\r\n`);
  assert.equal(String((await once(agent, "data"))[0]), "HTTP/1.1 100 Continue\r\n\r\n");
  agent.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  await once(agent.resume(), "end");
  assert.deepEqual(
    (await stand.sink.have(1)).map((frame) => [frame.input, frame.output]),
    [[{ command: "x" }, { exit_code: 0 }]],
  );
  execd.close();
});

test("at the end: calls have their time, code is told with its hashes so far, a terminal has no close", async () => {
  const { execd, begun } = await slowExecd(streamHead + chunk(INIT) + chunk({ type: "stdout", text: "so far" }));
  await using stand = await standBefore(execd.url, { tailMs: 1_500 });
  const agent = connect(stand.port, "127.0.0.1");
  agent.on("error", () => undefined);
  agent.write(jsonRequest("POST /code", '{"context":{"language":"python"},"code":"x"}'));
  await once(agent, "data");
  await begun;
  const closing = stand.proxy.close();
  await assert.rejects(once(connect(stand.port, "127.0.0.1"), "connect"), { code: "ECONNREFUSED" });
  assert.equal(stand.sink.frames.length, 0, "it has its time");
  await closing;
  assert.deepEqual(stand.sink.frames.map(brief), [
    {
      ...{ type: "system.code.execute", route: "POST /code", endpoint: "/code" },
      input: { code_hash: sha("x"), language: "python" },
      output: { result_hash: EMPTY, logs_hash: sha(`${canonicalize(["stdout", "so far"])}\n`), incomplete: true },
      error: "incomplete: the proxy ended before the answer did",
    },
  ]);
  assert.equal(stand.sink.drains, 1);
  execd.close();
});

test("at the end a call that is nearly through is waited for", async () => {
  const { execd, begun } = await slowExecd(streamHead + chunk(INIT));
  await using stand = await standBefore(execd.url, { tailMs: 10_000 });
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(jsonRequest("POST /command", '{"command":"x"}'));
  await once(agent, "data");
  const closing = stand.proxy.close();
  (await begun).write(`${chunk({ type: "execution_complete" })}0\r\n\r\n`);
  await once(agent.resume(), "end");
  agent.end();
  await closing;
  assert.deepEqual(
    stand.sink.frames.map((frame) => frame.output),
    [{ exit_code: 0 }],
  );
  execd.close();
});

test("a terminal: opened, used over two sockets, ended", async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    if (request.method === "POST")
      response.writeHead(201, { "Content-Type": "application/json" }).end('{"session_id":"p1"}');
    else response.end();
  });
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client)),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await using stand = await standBefore(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const binary = (type: number, text: string) => Buffer.concat([Buffer.from([type]), Buffer.from(text)]);
  const attach = async (): Promise<[WebSocket, WebSocket]> => {
    const inside = once(sockets, "connection");
    const agent = new WebSocket(`ws://127.0.0.1:${stand.port}/pty/p1/ws`);
    await once(agent, "open");
    return [agent, ((await inside) as [WebSocket])[0]];
  };
  await exchange(stand.port, jsonRequest("POST /pty", '{"command":"bash -l"}'));
  const [first, firstInside] = await attach();
  first.send(binary(0, "ls\n"));
  assert.equal(String((await once(firstInside, "message"))[0]).slice(1), "ls\n");
  firstInside.send(binary(1, "a b"));
  await once(first, "message");
  firstInside.close(4001, "taken over");
  assert.equal((await once(first, "close"))[0], 4001);
  const [second, secondInside] = await attach();
  secondInside.send(Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("a b c")]));
  const { promise: both, resolve: haveBoth } = Promise.withResolvers<void>();
  secondInside.on("message", (data) => String(data).includes("SIGINT") && haveBoth());
  second.send('{"type":"stdin","data":"exit\\n"}');
  second.send('{"type":"signal","signal":"SIGINT"}');
  await both;
  secondInside.send('{"type":"exit","exit_code":130}');
  secondInside.close();
  await once(second, "close");
  const told = (await stand.sink.have(4)).map(brief) as { type: string }[];
  assert.deepEqual(
    told.map(({ type }) => type),
    ["system.pty.open", "system.application.control", "system.application.control", "system.pty.close"],
  );
  const io = { stderr: EMPTY, stdin: sha("ls\nexit\n"), stdout: sha("a b c") };
  assert.deepEqual(
    [told[0], told[3]],
    [
      {
        type: "system.pty.open",
        route: "POST /pty",
        endpoint: "/pty",
        input: { command: "bash -l" },
        output: { pty_id: "p1" },
      },
      {
        ...{ type: "system.pty.close", route: "GET /pty/:sessionId/ws", endpoint: "/pty" },
        ...{ input: { exit_code: 130, signal: "SIGINT" }, output: { io_hash: sha(canonicalize(io)) } },
      },
    ],
  );
  const { frames } = stand.sink;
  assert.deepEqual([frames[0]?.correlation_id, frames[3]?.correlation_id], ["pty:p1", "pty:p1"]);
  // It has ended: that it is deleted too is told as that.
  await exchange(stand.port, "DELETE /pty/p1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.equal((await stand.sink.have(5))[4]?.action_type, "system.application.control");
  await exchange(stand.port, "DELETE /pty/p2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.deepEqual((await stand.sink.have(6))[5]?.input, {});
  await stand.proxy.close();
  server.closeAllConnections();
  server.close();
});

/** A gate that asks the test. */
function gateOf(decide: (call: ProposedCall) => Permit | Denial) {
  const asked: ProposedCall[] = [];
  const before = async (call: ProposedCall) => {
    asked.push(call);
    return decide(call);
  };
  return { asked, gate: { holds: () => true, before } };
}
const DENIAL: Denial = { kind: "denial", status: 403, code: "DENIED", message: "nobody allowed it" };
const pair =
  '--b\r\nContent-Disposition: form-data; name="metadata"; filename="m"\r\n\r\n{"path":"/a"}\r\n' +
  '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--b--\r\n';
const upload = `POST /files/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${pair.length}\r\n\r\n${pair}`;

test("what the gate denies never gets to execd as a whole, and the connection goes on", async () => {
  const execd = await RawExecd.start((socket) => socket.end(answer("404 Not Found", "{}")));
  const { asked, gate } = gateOf(() => DENIAL);
  await using stand = await standBefore(execd.url, { gate, enforcement: "enforced" });
  const twice = jsonRequest("POST /command", '{"command":"ls"}', "").repeat(2);
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(twice);
  let got = "";
  while ((got.match(/nobody allowed it/g) ?? []).length < 2) got += String((await once(agent, "data"))[0]);
  agent.destroy();
  assert.match(got, /^HTTP\/1\.1 403 Forbidden\r\n.*\{"code":"DENIED","message":"nobody allowed it"\}/s);
  assert.equal(execd.bytes, "");
  assert.match((await exchange(stand.port, upload)).toString(), /^HTTP\/1\.1 403 /);
  assert.ok(!execd.bytes.includes("--b--"), "the end of an upload waits");
  const frames = await stand.sink.have(3);
  assert.deepEqual(
    frames.map(({ decision, enforcement, error, output }) => [decision, enforcement, error, output]),
    frames.map(() => ["denied", "enforced", "denied: nobody allowed it", undefined]),
  );
  assert.deepEqual(frames[2]?.input, { path: "/a", content_hash: sha("abc") });
  assert.deepEqual(
    asked.map(({ decoded }) => decoded.kind),
    ["command", "command", "paths"],
  );
  execd.close();
});

test("what the gate permits passes byte for byte, and how it ended is told to who permitted it", async () => {
  const execd = await RawExecd.start((socket, text) =>
    socket.end(text.includes("/files/") ? answer("200 OK", "") : events({ type: "error", error: { evalue: "2" } })),
  );
  const ends: object[] = [];
  const { gate } = gateOf(() => ({ kind: "permit", ended: (end) => ends.push(end) }));
  await using stand = await standBefore(execd.url, { gate });
  const command = jsonRequest("POST /command", '{"command":"ls"}');
  await exchange(stand.port, command);
  assert.equal(execd.bytes, command);
  await exchange(stand.port, upload);
  assert.ok(execd.bytes.includes(pair));
  await stand.sink.have(2);
  assert.deepEqual(ends, [{ exitCode: 2 }, {}]);
  execd.close();
});

test("a gate that breaks lets nothing pass", async () => {
  const execd = await RawExecd.start((socket) => socket.end(answer("200 OK", "")));
  const gate = { holds: () => true, before: () => Promise.reject(new Error("no hub")) };
  await using stand = await standBefore(execd.url, { gate });
  assert.match((await exchange(stand.port, jsonRequest("POST /command", "{}"))).toString(), /^HTTP\/1\.1 503 /);
  assert.equal(execd.bytes, "");
  execd.close();
});
