import assert from "node:assert/strict";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "../src/start-local-execd.ts";

const TOKEN = "a token of the tests";
const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-execd-wire-")));
const bugs: unknown[] = [];
let execd: LocalExecd;

before(async () => {
  execd = await startLocalExecd({
    ...{ port: 0, token: TOKEN, directory, onBug: (cause: unknown) => bugs.push(cause) },
    limits: { maxJsonBytes: 4_096, maxLogBytes: 64, maxEntries: 3, maxSessions: 2, maxUploadBytes: 1_000_000 },
  });
});
after(async () => {
  await execd.close();
  rmSync(directory, { recursive: true });
  assert.deepEqual(bugs, []);
});

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Bytes as they go over the wire, and what comes back until it is closed. */
async function raw(text: string): Promise<Answer> {
  const socket = connect(execd.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text, "latin1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined);
  await once(socket, "close");
  const all = Buffer.concat(chunks).toString();
  const end = all.indexOf("\r\n\r\n");
  return { status: Number(all.slice(9, 12)), head: all.slice(0, end), body: all.slice(end + 4) };
}

function send(method: string, path: string, { body = "", headers = {} }: { body?: string; headers?: object } = {}) {
  const given = { "X-EXECD-ACCESS-TOKEN": TOKEN, Connection: "close", ...headers };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  const length = Buffer.byteLength(body);
  const head = [`${method} ${path} HTTP/1.1`, "Host: localhost", `Content-Length: ${length}`, ...lines];
  return raw(`${head.join("\r\n")}\r\n\r\n${Buffer.from(body).toString("latin1")}`);
}

/** The body of a chunked answer. */
function unchunked({ body }: Answer): string {
  let rest = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (;;) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.toString("latin1", 0, end), 16);
    if (!size) return Buffer.concat(pieces).toString();
    pieces.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 4 + size);
  }
}

const stamped = (text: string) => text.replace(/"timestamp":\d{13}/g, '"timestamp":0');

describe("what a stock execd puts on the wire", () => {
  test("events are bare JSON with an empty line; failure is a string; a ping comes at once", async () => {
    const answer = await send("POST", "/command", { body: '{"command":"echo \'<a> & b\'; exit 3"}' });
    assert.match(answer.head, /^HTTP\/1\.1 200 OK/);
    assert.match(answer.head, /content-type: text\/event-stream\r?$/im);
    assert.match(answer.head, /x-accel-buffering: no/i);
    const body = stamped(unchunked(answer)).replace(/"text":"[0-9a-f]{32}"/, '"text":"ID"');
    assert.equal(
      body,
      [
        '{"type":"init","text":"ID","timestamp":0}',
        '{"type":"ping","text":"pong","timestamp":0}',
        '{"type":"stdout","text":"\\u003ca\\u003e \\u0026 b","timestamp":0}',
        '{"type":"error","timestamp":0,"error":{"ename":"CommandExecError","evalue":"3","traceback":["exit status 3"]}}',
        "",
      ].join("\n\n"),
    );
  });

  test("what comes too late for a status stands at the end, without an empty line", async () => {
    const answer = await send("POST", "/code", { body: '{"context":{"language":"cobol"},"code":"x"}' });
    assert.equal(answer.status, 200);
    assert.equal(unchunked(answer), '{"code":"RUNTIME_ERROR","message":"error running codes unknown language: cobol"}');
  });

  test("bodies are read as Go reads them", async () => {
    const bodies = [
      '{"command":"echo no","COMMAND":"echo yes"}',
      '{"command":"echo yes"}{"command":"echo no"}',
      '{"command":"echo yes","command":null}',
      '{"command":"echo yes","unknown":[1,{}]} trailing',
    ];
    for (const body of bodies) {
      assert.match(unchunked(await send("POST", "/command", { body })), /"stdout","text":"yes"/, body);
    }
  });

  test("refusals, in its shape", async () => {
    const cases: [method: string, path: string, body: string, status: number, answer: RegExp][] = [
      [
        "POST",
        "/command",
        "{}",
        400,
        /^{"code":"INVALID_REQUEST_BODY","message":"invalid request, validation error Key: 'RunCom/,
      ],
      ["POST", "/command", "", 400, /"error parsing request, MAYBE invalid body format. EOF"/],
      ["POST", "/command", '{"command":5}', 400, /"INVALID_REQUEST_BODY"/],
      ["POST", "/command", '{"command":"ls","gid":5}', 400, /uid is required when gid is provided/],
      ["DELETE", "/command", "", 400, /^{"code":"MISSING_QUERY","message":"missing query parameter 'id'"}$/],
      ["GET", "/command/status/x", "", 404, /^{"code":"INVALID_REQUEST_BODY","message":"command not found: x"}$/],
      ["GET", "/files/download", "", 400, /MISSING_QUERY/],
      [
        "GET",
        "/files/info?path=/no/such",
        "",
        404,
        /^{"code":"FILE_NOT_FOUND","message":"file not found. lstat \/no\/such: no such file or directory"}$/,
      ],
      ["GET", "/files/info", "", 200, /^{}$/],
      ["GET", "/directories/list?path=/&depth=-1", "", 400, /invalid query parameter 'depth': -1/],
      ["POST", "/files/upload", "x", 400, /^{"code":"INVALID_FILE","message":"multipart form is empty"}$/],
      ["GET", "/no/such/route", "", 404, /^404 page not found$/],
      ["PUT", "/command", "{}", 404, /^404 page not found$/],
      ["GET", "//ping", "", 404, /^404 page not found$/],
      ["GET", "/PING", "", 404, /^404 page not found$/],
      ["GET", "/%70ing", "", 200, /^$/],
      ["GET", "/ping/", "", 301, /Moved Permanently/],
      ["POST", "/session/", "", 307, /^$/],
      ["GET", "/%zz", "", 400, /Bad Request/],
      ["GET", "/proxy/", "", 400, /^port is required\n$/],
      ["GET", "/proxy/nowhere/x", "", 502, /^Bad Gateway\n$/],
      ["GET", "/pty/none", "", 404, /"CONTEXT_NOT_FOUND","message":"pty session none not found"/],
    ];
    for (const [method, path, body, status, answer] of cases) {
      const got = await send(method, path, { body });
      assert.equal(got.status, status, `${method} ${path} ${body}: ${got.body}`);
      assert.match(got.body, answer, `${method} ${path}`);
    }
  });

  test("the token is asked for everywhere, before anything is looked at", async () => {
    for (const path of ["/ping", "/no/such", "/proxy/1/x", "/files/download?path=/etc/hosts"]) {
      for (const token of ["", "another", `${TOKEN}x`]) {
        const answer = await send("GET", path, { headers: { "X-EXECD-ACCESS-TOKEN": token } });
        assert.equal(answer.status, 401, path);
        assert.equal(answer.body, '{"error":"Unauthorized: invalid or missing header X-EXECD-ACCESS-TOKEN"}');
      }
    }
  });

  test("/proxy re-enters it, and reaches others", async () => {
    const ran = await send("POST", `/proxy/${execd.port}/command`, { body: '{"command":"echo inside"}' });
    assert.match(unchunked(ran), /"stdout","text":"inside"/);
    const other = createServer((request, response) => {
      response.end(`${request.method} ${request.url} ${request.headers["x-forwarded-proto"]}`);
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const answer = await send("GET", `/proxy/${port}/a%20b/c?d=e`);
    assert.match(answer.body, /GET \/a%20b\/c\?d=e http/);
    other.close();
  });

  test("downloads: the odd ones", async () => {
    const path = join(directory, "ten");
    writeFileSync(path, "0123456789");
    const get = (range: string) => send("GET", `/files/download?path=${path}`, { headers: { Range: range } });
    const whole = await send("GET", `/files/download?path=${path}`);
    assert.match(whole.head, /content-disposition: attachment; filename="ten"/i);
    assert.match(whole.head, /accept-ranges: bytes/i);
    const part = await get("bytes=2-4");
    assert.deepEqual([part.status, part.body], [206, "234"]);
    assert.match(part.head, /content-range: bytes 2-4\/10/i);
    // Told with the length of the file, and cut there.
    const cut = await get("lines=2-4");
    assert.deepEqual([cut.status, cut.body], [416, '{"code":"U']);
    assert.match(cut.head, /content-length: 10/i);
    const past = await get("bytes=10-");
    assert.deepEqual([past.status, past.body], [416, "invalid range: failed to overlap\n"]);
    const folder = await send("GET", `/files/download?path=${directory}`);
    assert.match(folder.head, /content-length: 9223372036854775807/i);
    assert.equal(folder.body, "");
    const named = join(directory, "grüße.txt");
    writeFileSync(named, "");
    const answer = await send("GET", `/files/download?path=${encodeURIComponent(named)}`);
    assert.match(answer.head, /filename\*=UTF-8''gr%C3%BC%C3%9Fe\.txt/);
  });

  test("uploads: pairs by their order, a metadata part needs a file's name", async () => {
    const part = (name: string, body: string, file = name) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${file && `; filename="${file}"`}\r\n\r\n${body}\r\n`;
    const upload = (...parts: string[]) =>
      send("POST", "/files/upload", {
        headers: { "Content-Type": "multipart/form-data; boundary=b" },
        body: `${parts.join("")}--b--\r\n`,
      });
    const meta = (name: string) => part("metadata", JSON.stringify({ path: join(directory, "up", name), MODE: 600 }));
    const done = await upload(part("file", "one"), meta("1"), meta("2"), part("file", "two"));
    assert.deepEqual([done.status, done.body], [200, ""]);
    assert.equal(readFileSync(join(directory, "up/1"), "utf8"), "one");
    assert.equal(readFileSync(join(directory, "up/2"), "utf8"), "two");
    assert.match((await upload(part("metadata", "{}", ""), part("file", "x"))).body, /metadata file is missing/);
    assert.match((await upload(meta("3"))).body, /"INVALID_FILE_CONTENT","message":"file is missing"/);
    assert.match((await upload(meta("3"), meta("4"), part("file", "x"))).body, /count mismatch: 2 vs 1/);
    assert.match((await upload(part("metadata", "{"), part("file", "x"))).body, /INVALID_FILE_METADATA/);
    assert.match((await upload(part("metadata", "{}"), part("file", "x"))).body, /metadata path is empty/);
    assert.equal(existsSync(join(directory, "up/3")), false);
  });

  test("names with variables, links that aren't followed", async () => {
    mkdirSync(join(directory, "links"));
    symlinkSync("/etc", join(directory, "links/etc"));
    const listed = JSON.parse((await send("GET", `/directories/list?path=${directory}/links&depth=9`)).body);
    assert.deepEqual(
      listed.map(({ path, type }: { path: string; type: string }) => [path, type]),
      [[join(directory, "links/etc"), "symlink"]],
    );
    const through = await send("GET", `/directories/list?path=${directory}/links/etc`);
    assert.match(through.body, /path is a symbolic link, refusing to traverse/);
    const unknown = await send("GET", "/files/info?path=$NO_SUCH_VARIABLE/x");
    assert.match(unknown.body, /path references undefined environment variables: NO_SUCH_VARIABLE/);
    const nul = await send("GET", "/files/info?path=/etc%00/passwd");
    assert.deepEqual([nul.status, /RUNTIME_ERROR/.test(nul.body)], [500, true]);
  });
});

describe("what is more than it takes", () => {
  test("a body, told and untold", async () => {
    const long = JSON.stringify({ command: "x".repeat(5_000) });
    assert.match((await send("POST", "/command", { body: long })).body, /^{"code":"BODY_TOO_LARGE"/);
  });

  test("entries, sessions, logs", async () => {
    const many = join(directory, "many");
    mkdirSync(many);
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(many, name), "");
    assert.match((await send("GET", `/files/search?path=${many}`)).body, /"TOO_MANY_RESULTS"/);
    const answers = await Promise.all([1, 2, 3].map(() => send("POST", "/session")));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
    const started = await send("POST", "/command", { body: '{"command":"yes | head -c 1000","background":true}' });
    const id = /"init","text":"([0-9a-f]+)"/.exec(unchunked(started))?.[1];
    let log = "";
    while (!log.includes("LOG_LIMIT")) log = (await send("GET", `/command/${id}/logs`)).body;
    assert.ok(log.startsWith("y\n".repeat(32)), log);
    assert.ok(log.length < 200, log);
  });

  test("half requests and clients that leave don't disturb it", async () => {
    const ends = [
      "POST /command HTTP/1.1\r\nHost: x\r\n",
      `POST /command HTTP/1.1\r\nHost: x\r\nX-EXECD-ACCESS-TOKEN: ${TOKEN}\r\nContent-Length: 100\r\n\r\n{"comm`,
      `POST /files/upload HTTP/1.1\r\nHost: x\r\nX-EXECD-ACCESS-TOKEN: ${TOKEN}\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n--b\r\n\r\n`,
      "\0\0\0\0",
      `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`,
    ];
    for (const text of ends) {
      const socket = connect(execd.port, "127.0.0.1");
      await once(socket, "connect");
      socket.on("error", () => undefined);
      await new Promise<void>((resolve) => socket.write(text, "latin1", () => resolve()));
      socket.resetAndDestroy();
    }
    assert.equal((await send("GET", "/ping")).status, 200);
  });

  test("a client that doesn't read holds its own command, and nobody else's", async () => {
    const socket = connect(execd.port, "127.0.0.1");
    await once(socket, "connect");
    socket.pause();
    const done = join(directory, "done");
    const body = JSON.stringify({ command: `yes | head -c 100000000; touch ${done}` });
    const head = `POST /command HTTP/1.1\r\nHost: x\r\nX-EXECD-ACCESS-TOKEN: ${TOKEN}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(`${head}${body}`);
    for (let at = 0; at < 50; at += 1) assert.equal((await send("GET", "/ping")).status, 200);
    assert.equal(existsSync(done), false);
    // Nobody is waited for any longer, and it goes on.
    socket.destroy();
    while (!existsSync(done)) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("processes", async () => {
    const small = await startLocalExecd({ port: 0, directory, limits: { maxProcesses: 1 } });
    const ask = (command: string, background: boolean) =>
      fetch(`${small.url}/command`, { method: "POST", body: JSON.stringify({ command, background }) });
    await (await ask("sleep 1000", true)).text();
    assert.match(await (await ask("true", false)).text(), /"ename":"TOO_MANY_PROCESSES"/);
    assert.match(await (await ask("true", true)).text(), /{"code":"TOO_MANY_PROCESSES"/);
    const session = (await (await fetch(`${small.url}/session`, { method: "POST" })).json()) as { session_id: string };
    const run = { method: "POST", body: '{"command":"true"}' };
    const ran = await fetch(`${small.url}/session/${session.session_id}/run`, run);
    assert.match(await ran.text(), /{"code":"TOO_MANY_PROCESSES"/);
    await small.close();
  });

  test("a body that stops coming is given up", async () => {
    const impatient = await startLocalExecd({ port: 0, directory, limits: { idleBodyMs: 50 } });
    const socket = connect(impatient.port, "127.0.0.1");
    socket.write("POST /command HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    await once(socket, "close");
    await impatient.close();
  });
});

test("what runs ends with it", async () => {
  const own = await startLocalExecd({ port: 0, directory });
  const file = join(directory, "pid");
  const body = JSON.stringify({ command: `echo $$ > ${file}; sleep 1000`, background: true });
  await fetch(`${own.url}/command`, { method: "POST", body }).then((response) => response.text());
  while (!existsSync(file) || readFileSync(file, "utf8") === "")
    await new Promise((resolve) => setTimeout(resolve, 10));
  const pid = Number(readFileSync(file, "utf8"));
  process.kill(pid, 0);
  await own.close();
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});
