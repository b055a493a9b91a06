import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { StartError } from "@countersign/core/errors";
import { WebSocket } from "ws";
import { scratch, startServing, TOKEN } from "../support/serve-fixture.ts";

const FULL = { security: "full", ask: "off" };

test("HTTP bodies with a key twice are refused, and nothing runs", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const marker = join(s.workspace, "marker");
  const twice = `{"command":"true","command":${JSON.stringify(`touch ${marker}`)}}`;
  const post = (path: string, raw: string) => s.call(path, { method: "POST", raw });
  const { status, body } = await post("/api/v1/exec", twice);
  assert.equal(status, 400);
  assert.deepEqual(body.error, {
    code: "INVALID_PARAMS",
    message: "The body isn't valid JSON: A key that occurs twice at position 18 (line 1 column 19)",
  });
  const nested = `{"command":"touch ${marker}","env":{"A":"1","A":"2"}}`;
  assert.equal((await post("/api/v1/exec", nested)).status, 400);
  assert.equal((await post("/mcp", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')).status, 400);
  const event = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true","command":"ls"}}`;
  const hooked = await post("/api/v1/hooks/claude-code", event);
  assert.equal(hooked.status, 200);
  assert.equal(hooked.body.hookSpecificOutput.permissionDecision, "deny");
  assert.match(hooked.body.hookSpecificOutput.permissionDecisionReason, /A key that occurs twice/);
  assert.ok(!existsSync(marker));
});

test("the local socket refuses a line with a key twice and stays open", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const socket = connect(s.served.home.socket).setEncoding("utf8");
  t.after(() => socket.destroy());
  socket.write('{"method":"status","method":"exec","params":{"command":"true"}}\n');
  const [refused] = await once(socket, "data");
  assert.match(refused, /"INVALID_PARAMS".*The line isn't valid JSON: A key that occurs twice/);
  socket.write('{"method":"status","params":{}}\n');
  assert.match((await once(socket, "data"))[0], /"ok":/);
});

test("a WebSocket frame with a key twice is refused", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const rpc = new WebSocket(new URL("/", s.served.url));
  t.after(() => rpc.terminate());
  await once(rpc, "open");
  rpc.send(JSON.stringify({ type: "auth", token: TOKEN }));
  await once(rpc, "message");
  rpc.send('{"id":"1","method":"health.check","method":"exec.deny"}');
  const [data] = await once(rpc, "message");
  assert.equal(JSON.parse(String(data)).error.code, -32700);
  const envelopes = new WebSocket(new URL("/ws", s.served.url));
  t.after(() => envelopes.terminate());
  await once(envelopes, "open");
  const payload = `{"deviceType":"cli","token":"no","token":"${TOKEN}"}`;
  envelopes.send(`{"id":"1","from":"a","to":"gateway","action":"register","payload":${payload}}`);
  const [code] = await once(envelopes, "close");
  assert.equal(code, 4401);
});

test("config and profiles with a key twice stop the start with the place", async (t) => {
  const at = scratch(t, FULL);
  writeFileSync(join(at.homeDir, "config.json"), '{"tools":{},\n"tools":{"timeout":1000}}');
  await assert.rejects(startServing(t, { at }), (cause) => {
    assert.ok(cause instanceof StartError);
    assert.match(cause.message, /config\.json isn't valid JSON .*A key that occurs twice.*line 2 column 1/);
    return true;
  });
  writeFileSync(join(at.homeDir, "config.json"), "{}");
  const profile = join(at.homeDir, "profiles/default/config.json");
  writeFileSync(profile, '{"execApproval":{"security":"deny","security":"full"}}');
  await assert.rejects(startServing(t, { at }), /A key that occurs twice/);
});

test("a repository's policy with a key twice is broken, not half read", async (t) => {
  const s = await startServing(t, { profile: { security: "full", ask: "off" } });
  mkdirSync(join(s.workspace, ".countersign"));
  writeFileSync(join(s.workspace, ".countersign/policy.json"), '{"ask":"always","ask":"off"}');
  const { body } = await s.propose("touch made");
  assert.equal(body.kind, "denied", JSON.stringify(body));
});
