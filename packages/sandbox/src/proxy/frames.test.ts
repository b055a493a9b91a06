import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { canonicalize } from "@countersign/receipts";
import { answer, brief, events, exchange, jsonRequest, RawExecd, standBefore } from "../../test/recording-proxy.ts";
import { FollowCommands, type FollowedEnd } from "./record/follow-commands.ts";

const sha = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const request = (line: string, headers = "") =>
  `${line} HTTP/1.1\r\nHost: execd\r\nConnection: close\r\n${headers}\r\n`;
const DONE = { type: "execution_complete", execution_time: 3 };
const INIT = { type: "init", text: "c1" };

/** Sends one request, and says what was recorded of it. */
async function recordOf(sent: string, answered: string | ((request: string) => string), count = 1): Promise<object[]> {
  const execd = await RawExecd.start((socket, text) =>
    socket.end(typeof answered === "string" ? answered : answered(text)),
  );
  await using stand = await standBefore(execd.url);
  const expected = typeof answered === "string" ? answered : answered(sent);
  assert.equal((await exchange(stand.port, sent)).toString(), expected, "the answer is the same");
  const frames = await stand.sink.have(count);
  await stand.proxy.close();
  execd.close();
  assert.equal(frames.length, count);
  const correlators = new Set(frames.map((frame) => frame.correlation_id));
  assert.equal(correlators.size, 1, "one call has one correlator");
  return frames.map(brief);
}

test("a command", async () => {
  const sent = jsonRequest("POST /command", '{"command":"ls","COMMAND":"id","envs":{"A":"1"},"cwd":"/x"}');
  const told = { type: "system.command.execute", route: "POST /command", endpoint: "/command" };
  const input = { command: "id", env: { A: "1" } };
  assert.deepEqual(await recordOf(sent, events(INIT, DONE, { type: "ping" })), [
    { ...told, input, output: { exit_code: 0 } },
  ]);
  const failed = events(INIT, { type: "error", error: { ename: "CommandExecError", evalue: "3" } }, DONE);
  assert.deepEqual(await recordOf(sent, failed), [{ ...told, input, output: { exit_code: 3 } }]);
  const timedOut = events(INIT, { type: "error", error: { ename: "CommandExecError", evalue: "-1" } });
  assert.deepEqual(await recordOf(sent, timedOut), [{ ...told, input, output: { exit_code: -1 } }]);
  const long = jsonRequest("POST /command", '{"command":"id","timeout":9007199254740993}');
  assert.deepEqual(await recordOf(long, events(INIT, DONE)), [
    { ...told, input: { command: "id" }, output: { exit_code: 0 } },
  ]);
  const refused = answer("400 Bad Request", '{"code":"INVALID_REQUEST_BODY","message":"x"}');
  assert.deepEqual(await recordOf(sent, refused), [{ ...told, input, error: "HTTP 400 INVALID_REQUEST_BODY" }]);
});

test("a frame says when its call was passed on, and is dated when it was over", async () => {
  const before = Date.now();
  let passedOnMs = 0;
  const execd = await RawExecd.start((socket) => {
    passedOnMs = Date.now();
    // Over only when the clock shows another time.
    const end = () => (Date.now() > passedOnMs ? socket.end(events(INIT, DONE)) : setImmediate(end));
    end();
  });
  await using stand = await standBefore(execd.url);
  await exchange(stand.port, jsonRequest("POST /command", '{"command":"ls"}'));
  const [frame] = await stand.sink.have(1);
  execd.close();
  const startedMs = Date.parse(frame?.binding.started_at ?? "");
  assert.ok(before <= startedMs && startedMs <= passedOnMs, frame?.binding.started_at);
  assert.ok(Date.parse(frame?.ts_emit ?? "") > passedOnMs, frame?.ts_emit);
});

test("what never got to execd was never passed on", async () => {
  const denial = { kind: "denial", status: 403, code: "DENIED", message: "no" } as const;
  const gate = { holds: () => true, before: async () => denial };
  await using stand = await standBefore(new URL("http://127.0.0.1:1"), { gate });
  await exchange(stand.port, jsonRequest("POST /command", '{"command":"ls"}'));
  const [frame] = await stand.sink.have(1);
  assert.deepEqual([frame?.decision, frame?.binding.started_at], ["denied", undefined]);
});

test("a command in a session, in an isolated one, and as code without a language", async () => {
  const told = { type: "system.command.execute", endpoint: "/command", output: { exit_code: 0 } };
  assert.deepEqual(await recordOf(jsonRequest("POST /session/s%201/run", '{"command":"ls"}'), events(DONE)), [
    { ...told, route: "POST /session/:sessionId/run", input: { command: "ls" } },
  ]);
  assert.deepEqual(
    await recordOf(jsonRequest("POST /v1/isolated/session/i/run", '{"code":"ls","envs":{"B":"2"}}'), events(DONE)),
    [{ ...told, route: "POST /v1/isolated/session/:sessionId/run", input: { command: "ls", env: { B: "2" } } }],
  );
  assert.deepEqual(await recordOf(jsonRequest("POST /code", '{"code":"ls"}'), events(DONE)), [
    { ...told, route: "POST /code", endpoint: "/code", input: { command: "ls" } },
  ]);
  const bash = '{"context":{"language":"bash"},"code":"ls"}';
  assert.deepEqual(await recordOf(jsonRequest("POST /code", bash), events(DONE)), [
    { ...told, route: "POST /code", endpoint: "/code", input: { command: "ls" } },
  ]);
});

test("code, with the hash of what came of it", async () => {
  const told = { type: "system.code.execute", route: "POST /code", endpoint: "/code" };
  const stream = events(
    INIT,
    { type: "stdout", text: "a\n" },
    { type: "stderr", text: "b" },
    { type: "result", results: { text: "4" } },
    DONE,
  );
  const input = { code_hash: sha("2+2"), language: "python" };
  const output = {
    result_hash: sha(`${canonicalize({ text: "4" })}\n`),
    logs_hash: sha(`${canonicalize(["stdout", "a\n"])}\n${canonicalize(["stderr", "b"])}\n`),
  };
  const body = '{"context":{"language":"python"},"code":"2+2"}';
  assert.deepEqual(await recordOf(jsonRequest("POST /code", body), stream), [{ ...told, input, output }]);
  // A context's kernel runs in its own language, whatever the call says.
  const named = '{"context":{"id":"k7","language":"bash"},"code":"2+2"}';
  assert.deepEqual(await recordOf(jsonRequest("POST /code", named), stream), [
    { ...told, input: { ...input, language: "unknown" }, output },
  ]);
});

test("code whose end no event tells isn't told as done", async () => {
  const told = { type: "system.code.execute", route: "POST /code", endpoint: "/code" };
  const input = { code_hash: sha("2+2"), language: "python" };
  const body = '{"context":{"language":"python"},"code":"2+2"}';
  for (const stream of [events(INIT, { type: "result", results: { text: "4" } }), events(), answer("202 Accepted", "")])
    assert.deepEqual(await recordOf(jsonRequest("POST /code", body), stream), [
      { ...told, input, error: "the end isn't known" },
    ]);
});

test("a context's language is remembered", async () => {
  const execd = await RawExecd.start((socket, text) =>
    socket.end(
      text.startsWith("POST /code/context") ? answer("200 OK", '{"id":"k7","language":"python"}') : events(DONE),
    ),
  );
  await using stand = await standBefore(execd.url);
  await exchange(stand.port, jsonRequest("POST /code/context", '{"language":"python"}'));
  await exchange(stand.port, jsonRequest("POST /code", '{"context":{"id":"k7","language":"bash"},"code":"x"}'));
  // Whatever context it names: SQL goes to no kernel.
  await exchange(stand.port, jsonRequest("POST /code", '{"context":{"id":"k7","language":"sql"},"code":"x"}'));
  const [created, ran, queried] = (await stand.sink.have(3)).map(brief) as { type: string; input: object }[];
  assert.equal(created?.type, "system.application.control");
  assert.deepEqual([ran?.type, ran?.input], ["system.code.execute", { code_hash: sha("x"), language: "python" }]);
  assert.deepEqual(queried?.input, { code_hash: sha("x"), language: "sql" });
  execd.close();
});

test("files and directories, one receipt for each path", async () => {
  const ok = answer("200 OK", "");
  const at = (type: string, route: string, endpoint = "/files") => ({ type, route, endpoint });
  assert.deepEqual(
    await recordOf(request("GET /files/download?path=%2Fa+b"), answer("200 OK", "content", "application/octet-stream")),
    [
      {
        ...at("filesystem.file.read", "GET /files/download"),
        input: { path: "/a b" },
        output: { content_hash: sha("content") },
      },
    ],
  );
  const info = '{"/a":{},"/b":{}}';
  assert.deepEqual(
    await recordOf(request("GET /files/info?path=/a&path=/b"), answer("200 OK", info), 2),
    ["/a", "/b"].map((path) => ({
      ...at("filesystem.file.read", "GET /files/info"),
      input: { path },
      output: { content_hash: sha(info) },
    })),
  );
  const found = '[{"path":"/a/b"}]';
  assert.deepEqual(await recordOf(request("GET /files/search?path=/a&pattern=b"), answer("200 OK", found)), [
    {
      ...at("filesystem.file.read", "GET /files/search"),
      input: { path: "/a" },
      output: { content_hash: sha(found) },
    },
  ]);
  assert.deepEqual(await recordOf(jsonRequest("POST /files/replace", '{"/a":{"old":"1","new":"2"}}'), ok), [
    {
      ...at("filesystem.file.modify", "POST /files/replace"),
      input: { path: "/a", edit_hash: sha(canonicalize({ old: "1", new: "2" })) },
      output: {},
    },
  ]);
  assert.deepEqual(await recordOf(jsonRequest("POST /files/permissions", '{"/a":{"mode":644,"owner":"o"}}'), ok), [
    {
      ...at("filesystem.file.modify", "POST /files/permissions"),
      input: { path: "/a", mode: 644, owner: "o", group: "" },
      output: {},
    },
  ]);
  assert.deepEqual(
    await recordOf(jsonRequest("POST /files/mv", '[{"src":"/a","dest":"/b"},{"SRC":"/c","dest":"/d"}]'), ok, 2),
    [
      { ...at("filesystem.file.move", "POST /files/mv"), input: { path: "/a", dest: "/b" }, output: {} },
      { ...at("filesystem.file.move", "POST /files/mv"), input: { path: "/c", dest: "/d" }, output: {} },
    ],
  );
  assert.deepEqual(await recordOf(request("DELETE /files?path=/a&path=/b"), ok, 2), [
    { ...at("filesystem.file.delete", "DELETE /files"), input: { path: "/a" }, output: {} },
    { ...at("filesystem.file.delete", "DELETE /files"), input: { path: "/b" }, output: {} },
  ]);
  const list = (route: string) => at("filesystem.directory.list", route, "/directories");
  assert.deepEqual(await recordOf(request("GET /directories/list?path=/a"), answer("200 OK", "[]")), [
    { ...list("GET /directories/list"), input: { path: "/a" }, output: { entries_hash: sha("[]") } },
  ]);
  assert.deepEqual(await recordOf(jsonRequest("POST /directories", '{"/a":{"mode":755},"/b":{}}'), ok, 2), [
    { ...at("filesystem.directory.create", "POST /directories", "/directories"), input: { path: "/a" }, output: {} },
    { ...at("filesystem.directory.create", "POST /directories", "/directories"), input: { path: "/b" }, output: {} },
  ]);
  assert.deepEqual(
    await recordOf(
      request("DELETE /directories?path=/a"),
      answer("500 Internal Server Error", '{"code":"RUNTIME_ERROR"}'),
    ),
    [
      {
        ...at("filesystem.directory.delete", "DELETE /directories", "/directories"),
        input: { path: "/a" },
        error: "HTTP 500 RUNTIME_ERROR",
      },
    ],
  );
});

test("uploads: what was there before tells which it is", async () => {
  const pair = (path: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="metadata"; filename="metadata"\r\n\r\n${JSON.stringify({ path })}\r\n` +
    `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n`;
  const body = `${pair("/new", "one")}${pair("/old", "two")}--b--\r\n`;
  const type = "Content-Type: multipart/form-data; boundary=b\r\nX-EXECD-ACCESS-TOKEN: t\r\n";
  const sent = `${request("POST /files/upload", `${type}Content-Length: ${body.length}\r\n`)}${body}`;
  const asked: string[] = [];
  const answered = (text: string) => {
    if (!text.startsWith("GET /files/info")) return answer("200 OK", "");
    asked.push(/^x-execd-access-token: (.*)$/im.exec(text)?.[1] ?? "");
    return text.includes("new") ? answer("404 Not Found", '{"code":"FILE_NOT_FOUND"}') : answer("200 OK", "{}");
  };
  const told = { route: "POST /files/upload", endpoint: "/files", output: { bytes_written: 3 } };
  assert.deepEqual(await recordOf(sent, answered, 2), [
    { ...told, type: "filesystem.file.create", input: { path: "/new", content_hash: sha("one") } },
    { ...told, type: "filesystem.file.modify", input: { path: "/old", content_hash: sha("two") } },
  ]);
  assert.deepEqual(asked, ["t", "t"], "the proxy asks with the agent's token");
  // What can't be read for certain is told as that, with hashes.
  const odd = body.replace('name="file"', "name*=utf-8''file");
  const [told2] = await recordOf(
    `${request("POST /files/upload", `${type}Content-Length: ${odd.length}\r\n`)}${odd}`,
    answered,
  );
  assert.deepEqual(told2, {
    ...{ type: "filesystem.file.modify", route: "POST /files/upload", endpoint: "/files", output: { status: 200 } },
    error: "not read: a part's disposition isn't plain",
    input: {
      undecoded: "a part's disposition isn't plain",
      body_hash: sha(odd),
      bytes: odd.length,
      content_hashes: [],
    },
  });
});

test("the forms of the ADR that no execd has", async () => {
  assert.deepEqual(
    await recordOf(`${request("PUT /files?path=/a", "Content-Length: 3\r\n")}abc`, answer("200 OK", "")),
    [
      {
        ...{ type: "filesystem.file.modify", route: "PUT /files", endpoint: "/files" },
        ...{ input: { path: "/a", content_hash: sha("abc") }, output: { bytes_written: 3 } },
      },
    ],
  );
});

test("everything else is told with its route, and so is what fails", async () => {
  const told = { type: "system.application.control", endpoint: "/ping", route: "GET /ping" };
  assert.deepEqual(await recordOf(request("GET /ping"), answer("200 OK", "")), [
    { ...told, input: { route: "GET /ping" }, output: { status: 200, content_hash: sha("") } },
  ]);
  assert.deepEqual(await recordOf(request("GET /ping"), answer("307 Temporary Redirect", "")), [
    { ...told, input: { route: "GET /ping" }, error: "HTTP 307" },
  ]);
});

test("what is cut is never cut into something that nobody reads", async () => {
  const failed = events(INIT, { type: "error", error: { ename: `a${"😀".repeat(150)}`, evalue: "x" } });
  const [told] = await recordOf(jsonRequest("POST /command", '{"command":"ls"}'), failed);
  const { error } = told as { error: string };
  assert.ok(error.includes("a😀") && error.isWellFormed(), error);
});

test("white space that is longer than what is held doesn't stand for defaults", async () => {
  const body = `${" ".repeat(4 * 1024 * 1024 + 1)}{"command":"evil"}`;
  const [told] = await recordOf(jsonRequest("POST /pty", body), answer("201 Created", '{"session_id":"p"}'));
  const { input } = told as { input: { undecoded?: string } };
  assert.match(input.undecoded ?? "", /longer than what is read/);
});

test("a body that can't be read is told by its hash", async () => {
  const wide = JSON.stringify({ command: "ls", envs: { A: "漢".repeat(200_000) } });
  for (const body of [wide, "[]", '{"command":', "\xff", '{"command":1}', `{"command":"${"x".repeat(600_000)}"}`]) {
    const [told] = await recordOf(jsonRequest("POST /command", body), answer("400 Bad Request", "{}"));
    const { type, input, error } = told as {
      type: string;
      input: { undecoded: string; body_hash: string; bytes: number };
      error: string;
    };
    assert.deepEqual(
      [type, input.body_hash, input.bytes, error],
      ["system.command.execute", sha(body), Buffer.byteLength(body), "HTTP 400"],
    );
  }
  // That the stream began doesn't say what came of it.
  for (const path of ["/command", "/session/s/run", "/v1/isolated/session/i/run", "/code"]) {
    const [told] = await recordOf(jsonRequest(`POST ${path}`, "[]"), events(INIT, DONE));
    const { output, error } = told as { output?: object; error: string };
    assert.deepEqual([output, error.slice(0, 19)], [undefined, "not read: MISMATCH:"], path);
  }
});

test("who follows a command waits without leaving anything behind, and is woken at the end", async () => {
  const stop = new AbortController();
  const listening: number[] = [];
  const asked = Promise.withResolvers<void>();
  const get = async () => {
    listening.push(getEventListeners(stop.signal, "abort").length);
    if (listening.length === 3) asked.resolve();
    return { status: 200, json: { running: true } };
  };
  const followed = new FollowCommands({ get }, stop);
  const ended = Promise.withResolvers<FollowedEnd>();
  followed.follow({ statusAt: "/command/status/c1", token: undefined }, ended.resolve);
  await asked.promise;
  await followed.close();
  assert.deepEqual(await ended.promise, { error: "it still ran when the proxy ended" });
  assert.ok(listening.length >= 3 && listening.every((count) => count === 0), `${listening}`);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});

test("a background command is followed to its end", async () => {
  let asked = 0;
  const status = (running: boolean) =>
    answer("200 OK", JSON.stringify({ id: "c1", running, exit_code: running ? null : 7 }));
  const answered = (text: string) =>
    text.startsWith("GET /command/status/c1") ? status(++asked < 3) : events(INIT, DONE);
  const [told] = await recordOf(jsonRequest("POST /command", '{"command":"x","background":true}'), answered);
  assert.deepEqual(told, {
    ...{ type: "system.command.execute", route: "POST /command", endpoint: "/command" },
    ...{ input: { command: "x" }, output: { exit_code: 7 } },
  });
  assert.equal(asked, 3);
});

test("a run in the background of an isolated session is followed to its end, and one in the foreground isn't", async () => {
  let asked = 0;
  const answered = (text: string) => {
    if (text.startsWith("GET /v1/isolated/session/i%201/runs/r%2F1 ")) {
      asked += 1;
      return answer("200 OK", asked === 1 ? '{"running":true}' : '{"running":false,"exit_code":7}');
    }
    return text.startsWith("POST")
      ? answer("202 Accepted", '{"session_id":"i 1","run_id":"r/1"}')
      : answer("404", "{}");
  };
  const sent = jsonRequest("POST /v1/isolated/session/i%201/run", '{"code":"x","background":true}');
  const [told] = await recordOf(sent, answered);
  assert.deepEqual([told && "output" in told && told.output, asked], [{ exit_code: 7 }, 2]);
  // A build that knows no background answers with the run itself.
  const [older] = await recordOf(sent, events(DONE));
  assert.deepEqual(older && "output" in older && older.output, { exit_code: 0 });
});

test("what an isolated session is asked for in query and body both isn't read as either", async () => {
  const at = "/v1/isolated/session/i";
  const both: readonly (readonly [string, string])[] = [
    [`POST ${at}/files/mv?old_path=/a&new_path=/b`, '[{"src":"/c","dest":"/d"}]'],
    [`POST ${at}/files/replace?path=/a&old=x&new=y`, '{"/c":{"old":"x","new":"y"}}'],
    [`POST ${at}/files/replace?old=x`, '{"/c":{"old":"x","new":"y"}}'],
    [`POST ${at}/directories?path=/a`, '{"/c":{"mode":755}}'],
  ];
  for (const [line, body] of both) {
    const [told] = await recordOf(jsonRequest(line, body), answer("200 OK", ""));
    const { undecoded } = (told as { input: { undecoded?: string } }).input;
    assert.equal(undecoded, "MISMATCH: query and body both say what is done", line);
  }
  const upload = (target: string, metadata: string) => {
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${text}\r\n`;
    const body = `${metadata === "" ? "" : part("metadata", metadata)}${part("file", "x")}--b--\r\n`;
    const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
    return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const gone = (text: string) => (text.startsWith("GET") ? answer("404 Not Found", "{}") : answer("200 OK", ""));
  const inputOf = async (sent: string) => ((await recordOf(sent, gone))[0] as { input: Record<string, unknown> }).input;
  const ambiguous = await inputOf(upload(`${at}/files/upload?path=/a`, '{"path":"/c"}'));
  assert.equal(ambiguous.undecoded, "query and metadata both say where it goes");
  assert.equal((await inputOf(upload(`${at}/files/upload?path=/a`, ""))).path, "/a");
  assert.equal((await inputOf(upload(`${at}/files/upload`, '{"path":"/c"}'))).path, "/c");
  // Of its own files execd takes no path from the query.
  assert.equal((await inputOf(upload("/files/upload?path=/a", '{"path":"/c"}'))).path, "/c");
});
