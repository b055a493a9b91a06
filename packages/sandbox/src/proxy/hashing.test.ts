import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { threads } from "../../test/hash-threads.ts";
import { answer, brief, exchange, jsonRequest, RawExecd, standBefore } from "../../test/recording-proxy.ts";
import { ioHash, openTerminal, output, pass, ScriptedTerminals } from "../../test/terminals.ts";
import { Digests } from "./digest/digests.ts";
import type { CallEnd, Gate, ProposedCall } from "./record/before.ts";

// Bodies that are hashed on a thread: what passes is the same, and what is told of it is right or says that it isn't known.

const KIB = 1024;
// No line ends in it that could be a delimiter's.
const FILE = Buffer.concat([randomBytes(3 * 1024 * KIB), Buffer.from("the end")]);
const BARELY_LARGE = FILE.subarray(0, 256 * KIB + 1);
const sha = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
const formOf = (path: string, file: Buffer) =>
  Buffer.concat([
    Buffer.from(`${part("metadata")}{"path":"${path}"}\r\n${part("file")}`),
    file,
    Buffer.from("\r\n--b--\r\n"),
  ]);
const headOf = (length: number, more = "Connection: close\r\n") =>
  `POST /files/upload HTTP/1.1\r\nHost: x\r\n${more}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;

/** Keeps what is uploaded to it, once it is whole; gives the file to whoever downloads. */
async function keepingExecd(t: { after: (work: () => void) => void }) {
  const whole: Buffer[] = [];
  const reading = Promise.withResolvers<Socket>();
  const server = createServer(async (call: IncomingMessage, answer) => {
    if (call.url?.startsWith("/files/info")) return void answer.writeHead(404).end("{}");
    if (call.url === "/ping") return void answer.end();
    if (call.url === "/barely-large") return void answer.end(BARELY_LARGE);
    if (call.method === "GET") return void answer.end(FILE);
    reading.resolve(call.socket);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of call) chunks.push(chunk as Buffer);
    } catch {
      // Its agent left.
      return;
    }
    whole.push(Buffer.concat(chunks));
    answer.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const hasRead = async (bytes: number) => {
    const socket = await reading.promise;
    while (socket.bytesRead < bytes) await new Promise((resolve) => setImmediate(resolve));
  };
  return { whole, url, hasRead };
}

async function upload(port: number, form: Buffer): Promise<string> {
  const answer = await exchange(port, headOf(form.length), form);
  return answer.toString().split("\r\n")[0] ?? "";
}

const told = (path: string, input: object, result: object) => ({
  ...{ type: "filesystem.file.create", route: "POST /files/upload", endpoint: "/files" },
  ...{ input: { path, ...input }, ...result },
});

test("a hundred large uploads at once, each with the hash of its own bytes", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  const files = Array.from({ length: 100 }, (_, n) => FILE.subarray(n, n + 500 * KIB + n * 1000));
  const forms = files.map((file, n) => formOf(`/${n}`, file));
  const answers = await Promise.all(forms.map((form) => upload(stand.port, form)));
  assert.deepEqual(new Set(answers), new Set(["HTTP/1.1 200 OK"]));
  const frames = await stand.sink.have(files.length);
  const byPath = new Map(frames.map(({ input }) => Object.values(input) as [string, string]));
  assert.deepEqual(
    files.map((_, n) => byPath.get(`/${n}`)),
    files.map(sha),
  );
  assert.deepEqual(new Set(execd.whole.map(sha)), new Set(forms.map(sha)));
});

test("a thread that ends: everything passes, what it was hashing is told as not hashed, what comes after is hashed", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url, { digests: new Digests({ url: threads.dyingAt(2) }) });
  const form = formOf("/a", FILE);
  assert.equal(await upload(stand.port, form), "HTTP/1.1 200 OK");
  await stand.sink.have(1);
  assert.equal(await upload(stand.port, form), "HTTP/1.1 200 OK");
  assert.deepEqual(execd.whole.map(sha), [sha(form), sha(form)]);
  const written = { output: { bytes_written: FILE.length } };
  assert.deepEqual((await stand.sink.have(2)).map(brief), [
    told("/a", { unhashed: "HASH_THREAD_ENDED" }, { ...written, error: "not hashed: HASH_THREAD_ENDED" }),
    told("/a", { content_hash: sha(FILE) }, written),
  ]);
});

test("a download whose hash is lost comes whole, and isn't told as done", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url, { digests: new Digests({ url: threads.dyingAt(2) }) });
  const answer = await exchange(
    stand.port,
    "GET /files/download?path=/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  );
  assert.ok(answer.subarray(-FILE.length).equals(FILE));
  const [frame] = await stand.sink.have(1);
  assert.deepEqual(
    { output: frame?.output, error: frame?.error },
    { output: { unhashed: "HASH_THREAD_ENDED" }, error: "not hashed: HASH_THREAD_ENDED" },
  );
});

test("a call of another kind whose body's hash is lost isn't told as done", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url, { digests: new Digests({ url: threads.dyingAt(2) }) });
  const call = { type: "system.application.control", route: "POST /metrics", endpoint: "/metrics" };
  const output = { status: 200, content_hash: sha(Buffer.alloc(0)) };
  const request = `POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${FILE.length}\r\n\r\n`;
  for (const count of [1, 2]) {
    await exchange(stand.port, request, FILE);
    await stand.sink.have(count);
  }
  const [lost, hashed] = [{ unhashed: "HASH_THREAD_ENDED" }, { body_hash: sha(FILE) }];
  assert.deepEqual(stand.sink.frames.map(brief), [
    { ...call, input: { route: call.route, ...lost }, output, error: "not hashed: HASH_THREAD_ENDED" },
    { ...call, input: { route: call.route, ...hashed }, output },
  ]);
});

test("a file whose hash is lost isn't told as written where its path is longer than a frame, either", async (t) => {
  const execd = await RawExecd.start((socket) => socket.end(answer("200 OK", "")));
  t.after(() => execd.close());
  await using stand = await standBefore(execd.url, { digests: new Digests({ url: threads.dyingAt(2) }) });
  const path = `/${"p".repeat(600 * KIB)}`;
  const head = `PUT /files?path=${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${FILE.length}\r\n\r\n`;
  await exchange(stand.port, head, FILE);
  const [frame] = await stand.sink.have(1);
  const unhashed = "HASH_THREAD_ENDED";
  assert.deepEqual(
    { input: frame?.input, output: frame?.output, error: frame?.error },
    {
      input: { input_hash: sha(Buffer.from(JSON.stringify({ path, unhashed }))), unhashed },
      output: { bytes_written: FILE.length },
      error: "not hashed: HASH_THREAD_ENDED",
    },
  );
});

test("calls are told in the order of their ends, also those that wait for no hash", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  await exchange(
    stand.port,
    "GET /files/download?path=/a HTTP/1.1\r\nHost: x\r\n\r\nGET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  );
  const frames = await stand.sink.have(2);
  assert.deepEqual(
    frames.map(({ tool, output }) => [tool.name, (output as { content_hash: string }).content_hash]),
    [
      ["GET /files/download", sha(FILE)],
      ["GET /ping", sha(Buffer.alloc(0))],
    ],
  );
});

test("an agent that leaves half-way: what had come is told by its hash", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  const begun = formOf("/a", FILE).subarray(0, -"\r\n--b--\r\n".length);
  const agent = connect(stand.port, "127.0.0.1");
  agent.write(headOf(begun.length + 9));
  agent.write(begun);
  await execd.hasRead(headOf(begun.length + 9).length + begun.length);
  agent.resetAndDestroy();
  const [frame] = await stand.sink.have(1);
  assert.deepEqual(
    { input: frame?.input, error: frame?.error },
    {
      input: {
        ...{ undecoded: "it ends before its last delimiter", body_hash: sha(Buffer.alloc(0)), bytes: begun.length },
        content_hashes: [sha(FILE)],
      },
      error: "the agent left before the answer was complete",
    },
  );
});

test("at the end the hashes of what is cut are waited for", async (t) => {
  const execd = await keepingExecd(t);
  const stand = await standBefore(execd.url);
  const agent = connect(stand.port, "127.0.0.1");
  agent.on("error", () => undefined);
  const form = formOf("/a", FILE);
  agent.write(headOf(form.length + 1));
  agent.write(form);
  await execd.hasRead(headOf(form.length + 1).length + form.length);
  await stand.proxy.close();
  assert.deepEqual(stand.sink.frames.map(brief), [
    told("/a", { content_hash: sha(FILE) }, { error: "the proxy ended before the answer did" }),
  ]);
});

test("a terminal's socket is read before its end: one whose name is longer than a frame is told by its hash", async (t) => {
  const execd = await keepingExecd(t);
  await using stand = await standBefore(execd.url);
  const head = `GET /pty/${"p".repeat(600 * KIB)}/ws HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  await exchange(stand.port, `${head}Content-Length: 3\r\n\r\n`, "abc");
  const [frame] = await stand.sink.have(1);
  assert.deepEqual(frame?.input, { undecoded: "it is longer than a frame", body_hash: sha(Buffer.alloc(0)), bytes: 0 });
});

/** Permits what it is asked about, and keeps it. */
function permitting(): Gate & { readonly asked: ProposedCall["decoded"][] } {
  const asked: ProposedCall["decoded"][] = [];
  const before = async ({ decoded }: ProposedCall) => {
    asked.push(decoded);
    return { kind: "permit" as const };
  };
  return { asked, holds: () => true, before };
}

test("the gate is asked with the hash of the very bytes that pass", async (t) => {
  const execd = await keepingExecd(t);
  const gate = permitting();
  await using stand = await standBefore(execd.url, { gate });
  const form = formOf("/a", FILE);
  assert.equal(await upload(stand.port, form), "HTTP/1.1 200 OK");
  const body = `PUT /files?path=/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${FILE.length}\r\n\r\n`;
  await exchange(stand.port, body, FILE);
  const inputs = gate.asked.map((decoded) => (decoded.kind === "paths" ? decoded.items.map(({ input }) => input) : []));
  assert.deepEqual(inputs, [[{ path: "/a", content_hash: sha(FILE) }], [{ path: "/b", content_hash: sha(FILE) }]]);
  assert.deepEqual(execd.whole.map(sha), [sha(form), sha(FILE)]);
});

/** What is told of it waits for a hash that doesn't come for a while. */
const LONG = jsonRequest("POST /metrics", "x".repeat(2 * 1024 * KIB));
const hanging = () => new Digests({ url: threads.silent, lateMs: 2000 });

test("a terminal that is opened while another call's hash is waited for is known at once, and its close follows its open", async () => {
  await using execd = await ScriptedTerminals.start();
  await using stand = await standBefore(execd.url, { digests: hanging() });
  await exchange(stand.port, LONG);
  await openTerminal(stand.port);
  const socket = await execd.attach(stand.port);
  await pass(socket.execd, socket.agent, output("seen"));
  execd.end(0);
  const frames = await stand.sink.have(4);
  assert.deepEqual(
    frames.map(({ action_type, output }) => [action_type, output]).filter(([type]) => /pty/.test(String(type))),
    [
      ["system.pty.open", { pty_id: "p1" }],
      ["system.pty.close", { io_hash: ioHash({ stdout: "seen" }) }],
    ],
  );
  assert.equal(frames[0]?.tool.name, "POST /metrics");
});

test("a terminal is known with its answer, also where half-sent bodies keep all that they may", async (t) => {
  await using execd = await ScriptedTerminals.start();
  const digests = new Digests({ url: threads.silent });
  t.after(() => digests.close());
  const ends: CallEnd[] = [];
  const before = async () => ({ kind: "permit" as const, ended: (end: CallEnd) => void ends.push(end) });
  await using stand = await standBefore(execd.url, { digests, gate: { holds: () => true, before } });
  assert.equal(digests.keep(8 * 1024 * KIB), true);
  await exchange(stand.port, jsonRequest("POST /pty", ""));
  assert.deepEqual(ends, [{ ptyId: "p1" }]);
});

test("the gate knows what calls before told, also while another call's hash is waited for", async (t) => {
  const execd = await RawExecd.start((socket) => socket.end(answer("200 OK", '{"id":"k7","language":"python"}')));
  t.after(() => execd.close());
  const gate = permitting();
  await using stand = await standBefore(execd.url, {
    ...{ gate: { ...gate, holds: ({ operation }) => operation === "code.run" }, digests: hanging() },
  });
  await exchange(stand.port, LONG);
  await exchange(stand.port, jsonRequest("POST /code/context", '{"language":"python"}'));
  await exchange(stand.port, jsonRequest("POST /code", '{"context":{"id":"k7","language":"python"},"code":"x"}'));
  const [asked] = gate.asked;
  assert.equal(asked?.kind === "code" && asked.input.language, "python");
  const frames = await stand.sink.have(3);
  assert.deepEqual(
    frames.map(({ tool }) => tool.name),
    ["POST /metrics", "POST /code/context", "POST /code"],
  );
});

/** When the whole answer is there, whatever becomes of the connection. */
async function askWith(agent: Agent | false, port: number, { method, path }: typeof SENT): Promise<void> {
  const call = request({ host: "127.0.0.1", port, method, path, agent });
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  call.end(method === "POST" ? BARELY_LARGE : undefined);
  const [answer] = await answered;
  await once(answer.resume(), "end");
}

const SENT = { method: "POST", path: "/metrics" };
const FETCHED = { method: "GET", path: "/barely-large" };

for (const [way, what, isKept] of [
  ["bodies that are sent on one connection", SENT, true],
  ["bodies that are sent on a connection each", SENT, false],
  ["answers on one connection", FETCHED, true],
  ["answers on a connection each", FETCHED, false],
] as const) {
  test(`a thread that is behind holds back ${way}, though each is over when it gets there`, async (t) => {
    const execd = await keepingExecd(t);
    const digests = new Digests({ url: threads.silent });
    await using stand = await standBefore(execd.url, { digests });
    const held = Promise.withResolvers<void>();
    const drained = digests.drained.bind(digests);
    t.mock.method(digests, "drained", () => {
      held.resolve();
      return drained();
    });
    const agent = isKept ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
    let answered = 0;
    const all = (async () => {
      for (; answered < 40; answered++) await askWith(agent, stand.port, what);
    })();
    await Promise.race([held.promise, all]);
    // The end of each takes a block, of which there are four. The fourth is answered: only what would come after it waits.
    while (answered < 4) await new Promise((resolve) => setImmediate(resolve));
    for (let count = 0; count < 20; count++)
      await exchange(stand.port, "GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.equal(answered, 4);
    await digests.close();
    await all;
    await stand.sink.have(60);
    if (agent) agent.destroy();
  });
}

test("an agent that leaves while it is held back keeps nobody, and a thread that says nothing holds nobody for longer than its time", async (t) => {
  const execd = await keepingExecd(t);
  const digests = new Digests({ url: threads.silent, lateMs: 300 });
  await using stand = await standBefore(execd.url, { digests });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; count < 4; count++) await askWith(agent, stand.port, SENT);
  agent.destroy();
  await Promise.all([SENT, FETCHED].map((what) => askWith(false, stand.port, what)));
  const frames = await stand.sink.have(6);
  assert.deepEqual(new Set(frames.map(({ tool }) => tool.name)), new Set(["POST /metrics", "GET /barely-large"]));
});
