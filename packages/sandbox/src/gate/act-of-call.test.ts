import assert from "node:assert/strict";
import { test } from "node:test";
import { sandboxActSchema } from "@countersign/protocol/records";
import { threads } from "../../test/hash-threads.ts";
import {
  answer,
  events,
  exchange,
  jsonRequest,
  RawExecd,
  type Stand,
  standBefore,
} from "../../test/recording-proxy.ts";
import { Digests } from "../proxy/digest/digests.ts";
import type { ProxyOptions } from "../proxy/proxy.ts";
import type { Denial, Permit, ProposedCall } from "../proxy/record/before.ts";
import { actOf } from "./act-of-call.ts";
import { HubGate } from "./hub-gate.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const REFUSED: Denial = { kind: "denial", status: 403, code: "DENIED", message: "seen" };

/** A gate that denies whatever it is asked about, and keeps what the hub would have been asked. */
async function watched(t: { after(end: () => unknown): void }, more: Partial<ProxyOptions> = {}) {
  const execd = await RawExecd.start((socket, text) => {
    if (text.startsWith("GET ")) return socket.end(answer("404 Not Found", "{}"));
    const json = text.startsWith("POST /code/context") ? '{"id":"c1","language":"python"}' : '{"session_id":"s1"}';
    return socket.end(text.startsWith("POST /command") ? events() : answer("200 OK", json));
  });
  const hub = new HubGate({
    ...{ hub: new URL("http://127.0.0.1:1"), token: "x", sandboxId: "box-1", execd: execd.url },
    ...{ enforcement: "advisory", log: SILENT },
  });
  const asked: unknown[] = [];
  const before = async (call: ProposedCall): Promise<Permit | Denial> => {
    const isMade = ["session.create", "context.create", "isolated.create"].includes(call.route.operation);
    if (isMade || call.decoded.strange !== undefined) return await hub.before(call);
    const act = actOf(call.decoded, { terminalSeconds: 60 });
    asked.push("kind" in act ? sandboxActSchema.parse(act) : act);
    return REFUSED;
  };
  const stand = await standBefore(execd.url, { ...more, gate: { holds: hub.holds, before } });
  t.after(async () => {
    await stand[Symbol.asyncDispose]();
    execd.close();
  });
  return { stand, asked, execd };
}

const send = async ({ port }: Stand, request: string) => (await exchange(port, request)).toString();

const form = (target: string, metadata: string, more = "") => {
  const part = (name: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${text}\r\n`;
  const body = `${part("metadata", metadata)}${part("file", "x")}${more}--b--\r\n`;
  const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
};

const HASH = /^sha256:[0-9a-f]{64}$/;

test("what the hub is asked has all that execd acts on", async (t) => {
  const { stand, asked } = await watched(t);
  await send(stand, jsonRequest("POST /session", '{"cwd":"/s"}'));
  await send(stand, jsonRequest("POST /code/context", '{"language":"python","cwd":"/c"}'));
  const rows: readonly (readonly [string, string, object])[] = [
    [
      "POST /command",
      '{"command":"ls","cwd":"/w","background":true,"timeout":9,"uid":0,"gid":7,"envs":{"A":"1"}}',
      {
        ...{ kind: "command", command: "ls", cwd: "/w", background: true, timeoutMs: 9, uid: 0, gid: 7 },
        env: { A: "1" },
      },
    ],
    ["POST /command", '{"argv":["ls","*"]}', { kind: "command", command: "ls '*'", argv: true }],
    [
      "POST /session/s1/run",
      '{"command":"ls","cwd":"/x","timeout":5}',
      { kind: "session", command: "ls", session: "s1", from: "/s", cwd: "/x", timeoutMs: 5 },
    ],
    ["POST /session/s2/run", '{"command":"ls"}', { kind: "session", command: "ls", session: "s2", from: "unknown" }],
    [
      "POST /v1/isolated/session/i1/run",
      '{"code":"ls","envs":{"A":"1"},"timeout_seconds":2,"background":true,"cwd":"/y"}',
      {
        ...{ kind: "session", command: "ls", isolated: "i1", env: { A: "1" }, timeoutMs: 2_000 },
        ...{ background: true, cwd: "/y", from: "unknown", made: "unknown" },
      },
    ],
    [
      "POST /code",
      '{"context":{"id":"c1","language":"python"},"code":"1"}',
      { kind: "code", code: "1", language: "python", context: "c1", from: "/c" },
    ],
    [
      "POST /code",
      '{"context":{"id":"c1","language":"java","cwd":"/z"},"code":"1"}',
      { kind: "code", code: "1", language: "python", named: "java", context: "c1", from: "/c", cwd: "/z" },
    ],
    [
      "POST /code",
      '{"context":{"id":"c9","language":"python"},"code":"1"}',
      { kind: "code", code: "1", language: "unknown", named: "python", context: "c9", from: "unknown" },
    ],
    ["POST /code", '{"context":{"language":"python"},"code":"1"}', { kind: "code", code: "1", language: "python" }],
    ["POST /code", '{"code":"ls"}', { kind: "command", command: "ls" }],
    ["POST /pty", '{"cwd":"/p","command":"top"}', { kind: "terminal", seconds: 60, command: "top", cwd: "/p" }],
    ["POST /files/permissions", '{"/a":{"mode":4755,"owner":"root","group":"g"}}', change("modify", "/a", RIGHTS)],
    ["POST /directories", '{"/a":{"mode":4755,"owner":"root","group":"g"}}', change("make-directory", "/a", RIGHTS)],
    ["POST /directories", '{"/a":{"mode":0}}', change("make-directory", "/a", {})],
    ["POST /files/mv", '[{"src":"/a","dest":"/b"}]', change("move", "/a", { dest: "/b" })],
    ["POST /files/replace", '{"/a":{"old":"x","new":"y"}}', change("modify", "/a", { old: "x", new: "y" })],
    ["DELETE /files?path=/a", "", change("delete", "/a", {})],
    ["DELETE /directories?path=/a", "", change("delete-directory", "/a", {})],
    [
      "POST /v1/isolated/session/i1/files/mv?old_path=/a&new_path=/b",
      "",
      { ...change("move", "/a", { dest: "/b" }), isolated: "i1", from: "unknown", made: "unknown" },
    ],
    [
      "POST /v1/isolated/session/i1/files/replace?path=/a&old=x&new=y",
      "",
      { ...change("modify", "/a", { old: "x", new: "y" }), isolated: "i1", from: "unknown", made: "unknown" },
    ],
    [
      "DELETE /v1/isolated/session/i1/files?path=/a",
      "",
      { ...change("delete", "/a", {}), isolated: "i1", from: "unknown", made: "unknown" },
    ],
  ];
  for (const [line, body, act] of rows) {
    asked.length = 0;
    assert.match(await send(stand, jsonRequest(line, body)), /"seen"/, line);
    assert.deepEqual(asked, [act], line);
  }
  for (const [target, isolated] of [["/files/upload"], ["/v1/isolated/session/i1/files/upload", "i1"]] as const) {
    asked.length = 0;
    await send(stand, form(target, '{"path":"/a","mode":4755,"owner":"root","group":"g"}'));
    const [act] = asked as [{ isolated?: string; changes: { path: string; details: Record<string, unknown> }[] }];
    const { content_hash, ...details } = act.changes[0]?.details ?? {};
    assert.match(String(content_hash), HASH);
    assert.deepEqual([act.isolated, act.changes[0]?.path, details], [isolated, "/a", { ...RIGHTS, bytes: 1 }]);
  }
});

const RIGHTS = { mode: 4755, owner: "root", group: "g" };
const change = (what: string, path: string, details: object) => ({
  kind: "files",
  changes: [{ change: what, path, details }],
});

test("an edit that is too long for a card is bound by its hash", async (t) => {
  const { stand, asked } = await watched(t);
  await send(stand, jsonRequest("POST /files/replace", JSON.stringify({ "/a": { old: "x".repeat(2_000), new: "" } })));
  const [act] = asked as [{ changes: { details: { edit_hash: string } }[] }];
  assert.deepEqual(Object.keys(act.changes[0]?.details ?? {}), ["edit_hash"]);
});

test("a file whose hash got lost is put to nobody: a permit would be for any content", async (t) => {
  const { stand, asked, execd } = await watched(t, { digests: new Digests({ url: threads.dyingAt(1) }) });
  const body = "x".repeat(2_000_000);
  await send(
    stand,
    `PUT /files?path=/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  assert.deepEqual(
    asked.map((one) => (one as { code: string }).code),
    ["GATE_UNHASHED"],
  );
  assert.doesNotMatch(execd.bytes, /^PUT/m);
});

test("an isolated session is made unasked, and all that it was made with stands on what is done in it", async (t) => {
  const { stand, asked } = await watched(t);
  const made = {
    ...{ workspace: { path: "/w", mode: "overlay" }, profile: "strict", share_net: true, idle_timeout_seconds: 9 },
    ...{ env_passthrough: { mode: "allow", keys: ["A"] }, extra_writable: ["/out", "/a; uid 0"] },
    binds: [{ source: "/data", dest: "/w/x", readonly: true }, { source: "/b" }],
    ...{ uid: 0, gid: 7, UID_mode: "setpriv" },
  };
  assert.match(await send(stand, jsonRequest("POST /v1/isolated/session", JSON.stringify(made))), /^HTTP\/1\.1 200 /);
  const words =
    "mode overlay; profile strict; share_net; env allow A; bind /data at /w/x readonly; bind /b; writable /out; " +
    'writable "/a; uid 0"; uid 0; gid 7; uid_mode setpriv';
  await send(stand, jsonRequest("POST /v1/isolated/session/s1/run", '{"code":"ls"}'));
  await send(stand, jsonRequest("DELETE /v1/isolated/session/s1/files?path=a", ""));
  assert.deepEqual(asked, [
    { kind: "session", command: "ls", isolated: "s1", from: "/w", made: words },
    { ...change("delete", "a", {}), isolated: "s1", from: "/w", made: words },
  ]);
  const commit = await send(stand, jsonRequest("POST /v1/isolated/session/s1/commit", "{}"));
  assert.match(commit, /^HTTP\/1\.1 403 /);
});

test("an isolated session of which nothing is said but its directory has nothing to be shown", async (t) => {
  const { stand, asked } = await watched(t);
  const plain = { workspace: { path: "/w" }, binds: [], extra_writable: null };
  await send(stand, jsonRequest("POST /v1/isolated/session", JSON.stringify(plain)));
  await send(stand, jsonRequest("POST /v1/isolated/session/s1/run", '{"code":"ls"}'));
  assert.deepEqual(asked, [{ kind: "session", command: "ls", isolated: "s1", from: "/w" }]);
});

test("a network that was refused isn't one of which nothing was said, which a stock execd shares", async (t) => {
  const { stand, asked } = await watched(t);
  for (const said of ['"share_net":false', '"share_net":false,"share_net":null']) {
    await send(stand, jsonRequest("POST /v1/isolated/session", `{"workspace":{"path":"/w"},${said}}`));
    await send(stand, jsonRequest("POST /v1/isolated/session/s1/run", '{"code":"ls"}'));
  }
  const run = { kind: "session", command: "ls", isolated: "s1", from: "/w" };
  assert.deepEqual(asked, [{ ...run, made: "share_net false" }, run]);
});

test("what isn't known of a call that changes something is never passed over", async (t) => {
  const { stand, asked, execd } = await watched(t);
  const strange: readonly (readonly [string, string, string])[] = [
    ["POST /command", '{"command":"ls","operation_id":"1"}', "operation_id"],
    ["POST /command", '{"command":"ls","argv":["rm"]}', "argv beside command"],
    ["POST /command", '{"command":"ls","timeout":9007199254740993}', "a timeout of that length"],
    ["POST /command?uid=0", '{"command":"ls"}', "?uid"],
    ["POST /session", '{"cwd":"/","envs":{}}', "envs"],
    ["POST /session", "[", "a body that can't be read (CUT)"],
    ["POST /session/s1/run", '{"command":"ls","uid":0}', "uid"],
    ["POST /code/context", '{"language":"python","image":"x"}', "image"],
    ["POST /code", '{"context":{"language":"python","user":"root"},"code":"1"}', "user"],
    ["POST /code", '{"context":{"id":"c1"},"code":"1"}', "context.id without a language"],
    ["POST /v1/isolated/session/i1/run", '{"code":"ls","uid":0}', "uid"],
    ["POST /v1/isolated/session", '{"workspace":{"path":"/w"},"binds":[{"source":"/","flags":1}]}', "flags"],
    [
      "POST /v1/isolated/session",
      JSON.stringify({ workspace: { path: "/w" }, extra_writable: [`/${"x".repeat(9_000)}`] }),
      "binds, or other wishes, that are longer than a card",
    ],
    ["POST /v1/isolated/session", '{"workspace":{"path":"/w","upper":"/x"}}', "upper"],
    ["POST /v1/isolated/session", "[", "a body that can't be read (CUT)"],
    ["POST /pty", '{"shell":"zsh"}', "shell"],
    ["POST /files/permissions", '{"/a":{"mode":644,"recursive":true}}', "recursive"],
    ["POST /directories?recursive=1", '{"/a":{"mode":644}}', "?recursive"],
    ["POST /files/mv", '[{"src":"/a","dest":"/b"},{"src":"/a","dest":"/b","force":true}]', "force"],
    ["DELETE /directories?path=/a&a;b", "", "?a;b"],
    ["GET /pty/p/ws?command=x", "", "?command"],
  ];
  for (const [line, body, what] of strange) {
    const got = await send(stand, jsonRequest(line, body));
    assert.match(got, /^HTTP\/1\.1 400 .*"code":"GATE_UNKNOWN_FIELD"/s, line);
    assert.ok(got.includes(JSON.stringify(JSON.stringify(what)).slice(1, -1)), got);
  }
  const more = '--b\r\nContent-Disposition: form-data; name="overwrite"\r\n\r\n1\r\n';
  for (const upload of [
    form("/files/upload", '{"path":"/a","acl":"x"}'),
    form("/files/upload", '{"path":"/a"}', more),
    form("/files/upload?path=/b", '{"path":"/a"}'),
  ])
    assert.match(await send(stand, upload), /"code":"GATE_UNKNOWN_FIELD"/);
  assert.deepEqual(asked, []);
  assert.doesNotMatch(execd.bytes, /^(?:DELETE|POST \/(?:command|session|code|pty|directories))/m);
  await send(stand, jsonRequest("POST /command", '{"command":"ls","envs":{"__proto__":"x"}}'));
  assert.deepEqual(
    asked.map((one) => (one as { code: string }).code),
    ["GATE_UNKNOWN_FIELD"],
  );
});

test("under a gate nothing but a terminal changes the protocol", async (t) => {
  const execd = await RawExecd.start((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
  );
  const gate = { holds: () => false, before: async () => REFUSED };
  const stand = await standBefore(execd.url, { gate });
  t.after(async () => {
    await stand[Symbol.asyncDispose]();
    execd.close();
  });
  await send(stand, `GET /ping HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI * HTTP/2.0`);
  assert.doesNotMatch(execd.bytes, /PRI/);
  const [frame] = await stand.sink.have(1);
  assert.match(frame?.error ?? "", /^refused by the proxy: the gate lets nothing/);
});
