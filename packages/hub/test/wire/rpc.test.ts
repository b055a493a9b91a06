import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSE } from "@countersign/protocol/proposals";
import { Client, type Frame, openServer, type TestServer } from "../support/open-server.ts";

async function login(server: TestServer, token = server.token): Promise<Client> {
  const client = await Client.open(`${server.url}/`);
  client.send({ type: "auth", token });
  assert.deepEqual(await client.next(), { type: "auth", ok: true });
  return client;
}

async function call(client: Client, id: string, method: string, params: unknown = {}): Promise<Frame> {
  client.send({ id, method, params });
  return await client.next((frame) => frame.id === id);
}

const event = (name: string) => (frame: Frame) => frame.event === name;

test("seed 003's steps: authenticate, make a session, approve, deny, and answer what isn't there", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  const created = await call(client, "1", "sessions.create");
  const { sessionKey } = created.result as { sessionKey: string };
  assert.match(sessionKey, /^[0-9a-f-]{36}$/);

  const propose = (command: string) =>
    server.api("POST", "/api/v1/exec", { command, cwd: server.workspace, session: sessionKey });
  const first = propose("touch hello");
  const { data } = await client.next(event("exec.approval_request"));
  const { approvalId, expiresAtMs } = data as { approvalId: string; expiresAtMs: number };
  assert.deepEqual(data, {
    approvalId,
    command: "touch hello",
    workingDir: server.workspace,
    sessionKey,
    riskLevel: "needs-review",
    riskReasons: data?.riskReasons,
    expiresAtMs,
  });
  assert.deepEqual(await call(client, "3", "exec.approve", { approvalId }), { id: "3", result: { ok: true } });
  assert.equal(((await first).body as { kind: string }).kind, "exited");
  assert.equal((await client.next(event("exec.approval_resolved"))).data?.decision, "allow-once");

  const second = propose("rm -rf testdir");
  const dangerous = await client.next(event("exec.approval_request"));
  assert.equal(dangerous.data?.riskLevel, "dangerous");
  const denied = { approvalId: dangerous.data?.approvalId, reason: "too dangerous" };
  assert.deepEqual(await call(client, "5", "exec.deny", denied), { id: "5", result: { ok: true } });
  assert.match(((await second).body as { reason: string }).reason, /too dangerous/);

  const missing = { code: -32602, message: "approval not found or already resolved" };
  assert.deepEqual(await call(client, "6", "exec.approve", { approvalId }), { id: "6", error: missing });
  assert.deepEqual(await call(client, "7", "exec.deny", { approvalId: sessionKey }), { id: "7", error: missing });

  const audit = (await call(client, "8", "audit.tail", { limit: 10 })).result as {
    events: { type: string; sessionKey: string }[];
  };
  const ours = audit.events.filter((one) => one.sessionKey === sessionKey).map((one) => one.type);
  assert.deepEqual(ours, ["tool_exec", "tool_denied"]);
});

test("every other method answers", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  assert.deepEqual((await call(client, "1", "health.check")).result, { ok: true, version: "0.1.0", paused: false });
  await call(client, "2", "sessions.create", { sessionKey: "mine" });
  const session = ((await call(client, "3", "sessions.get", { sessionKey: "mine" })).result ?? {}) as Record<
    string,
    unknown
  >;
  assert.equal(session.sessionKey, "mine");
  assert.deepEqual((await call(client, "4", "sessions.list")).result, { sessions: [session] });
  const { agents } = (await call(client, "5", "agents.list")).result as { agents: object[] };
  const tools = ["bash", "read_file", "write_file", "edit_file", "list_dir"];
  const builtIn = { name: "assistant", model: "demo/offline", profile: "assistant", tools, unattended: false };
  assert.deepEqual(agents, [{ ...builtIn, workspace: server.workspace }]);
  assert.deepEqual((await call(client, "6", "exec.list")).result, { approvals: [] });
});

test("bad frames: a clear code each, and the connection lives on", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  for (const [sent, code] of [
    ["{", -32700],
    ["[]", -32600],
    [JSON.stringify({ method: "health.check" }), -32600],
    [JSON.stringify({ id: {}, method: "health.check" }), -32600],
    [JSON.stringify({ type: "auth", token: server.token }), -32600],
    [JSON.stringify({ id: 1, method: "nope" }), -32601],
    [JSON.stringify({ id: 1, method: "toString" }), -32601],
    [JSON.stringify({ id: 1, method: "exec.approve" }), -32602],
    [JSON.stringify({ id: 1, method: "exec.approve", params: { approvalId: "not-a-uuid" } }), -32602],
    [JSON.stringify({ id: 1, method: "exec.approve", params: [] }), -32602],
    [JSON.stringify({ id: 1, method: "sessions.get", params: { sessionKey: "unknown" } }), -32602],
  ] as const) {
    client.send(sent);
    assert.equal(((await client.next()).error as { code: number }).code, code, sent);
  }
  assert.equal(((await call(client, "9", "health.check")).result as { ok: boolean }).ok, true);
});

test("an agent can't approve, not even its own, and hears nothing of others", async (t) => {
  const server = await openServer(t);
  const { token } = await server.makeToken("agent");
  const agent = await login(server, token);
  const approver = await login(server);
  const proposal = server.api("POST", "/api/v1/exec", { command: "touch made", cwd: server.workspace }, token);
  const { data } = await approver.next(event("exec.approval_request"));
  const refused = await call(agent, "1", "exec.approve", { approvalId: data?.approvalId });
  assert.equal((refused.error as { code: number }).code, -32001);
  await call(approver, "2", "exec.deny", { approvalId: data?.approvalId });
  assert.equal(((await proposal).body as { kind: string }).kind, "denied");
  assert.deepEqual(agent.unread, []);
});

test("no token, a wrong one or a hub's: closed with 4401, nothing sent", async (t) => {
  const server = await openServer(t, { loginMs: 100 });
  const hub = await server.makeToken("hub");
  for (const first of [
    "{",
    { id: 1, method: "health.check" },
    { type: "auth", token: "wrong" },
    { type: "auth", token: hub.token },
  ]) {
    const client = await Client.open(`${server.url}/`);
    client.send(first);
    assert.equal((await client.closed).code, CLOSE.unauthorized);
    assert.deepEqual(client.unread, []);
  }
  const silent = await Client.open(`${server.url}/`);
  assert.equal((await silent.closed).code, CLOSE.unauthorized);
});

test("after five wrong tokens an address is slowed down, but nobody keeps the right one out", async (t) => {
  const server = await openServer(t);
  const statuses: number[] = [];
  for (let index = 0; index < 7; index += 1) {
    statuses.push((await server.api("GET", "/api/v1/state", undefined, "wrong-token")).status);
  }
  assert.deepEqual(statuses.slice(0, 5), [401, 401, 401, 401, 401]);
  assert.ok(statuses.slice(5).includes(429), statuses.join());
  assert.equal((await server.api("GET", "/api/v1/state")).status, 200);
  await login(server);
});

test("an id that is under way isn't taken twice, and an answer that doesn't fit says so", async (t) => {
  const server = await openServer(t, { frameBytes: 200_000, pendingPerSession: 100 });
  const client = await login(server);
  const proposals = Array.from({ length: 4 }, (_, index) => {
    const command = `touch ${index}${"x".repeat(90_000)}`;
    return server.api("POST", "/api/v1/exec", { command, cwd: server.workspace });
  });
  while (server.hub.approvals.pending < 4) await new Promise((resolve) => setImmediate(resolve));
  const large = await call(client, "1", "exec.list");
  assert.deepEqual((large.error as { code: number }).code, -32603);
  client.send({ id: "twice", method: "audit.tail" });
  client.send({ id: "twice", method: "audit.tail" });
  const answers = [
    await client.next((one) => "error" in one || "result" in one),
    await client.next((one) => "error" in one || "result" in one),
  ];
  assert.equal(answers.filter((one) => (one.error as { code?: number } | undefined)?.code === -32600).length, 1);
  const ours = await call(client, "3", "sessions.create", { sessionKey: "policy:default" });
  assert.equal((ours.error as { code: number }).code, -32602);
  await server.close();
  await Promise.allSettled(proposals);
});

test("tokens that are made and revoked are in the audit, without what they are", async (t) => {
  const server = await openServer(t);
  const { id, token } = await server.makeToken("agent", "codex");
  await server.api("DELETE", `/api/v1/tokens/${id}`);
  const { events } = (await call(await login(server), "1", "audit.tail")).result as {
    events: { type: string; details: { event: string; token: string } }[];
  };
  const about = events.filter(({ type }) => type === "auth").map(({ details }) => [details.event, details.token]);
  assert.deepEqual(about, [
    ["token-created", id],
    ["token-revoked", id],
  ]);
  assert.doesNotMatch(JSON.stringify(events), new RegExp(token));
});

test("receipts are listed, found and verified, by those who may see everything", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  await server.api("POST", "/api/v1/exec", { command: "true", cwd: server.workspace });
  interface Listed {
    readonly receipts: readonly { seq: number; hash: string; receipt: { issuer: { runtime: { entry: string } } } }[];
    readonly next?: number;
  }
  const list = async (params: object) => (await call(client, "l", "receipts.list", params)).result as unknown as Listed;
  const all = await list({});
  assert.deepEqual(
    all.receipts.map(({ seq }) => seq),
    all.receipts.map((_, at) => at + 1),
  );
  const entries = all.receipts.map(({ receipt }) => receipt.issuer.runtime.entry);
  assert.deepEqual(entries.slice(-3), ["decided", "started", "ended"]);
  const first = await list({ limit: 2 });
  assert.deepEqual([first.receipts.length, first.next], [2, 2]);
  assert.deepEqual((await list({ after: 2, limit: 500 })).receipts, all.receipts.slice(2));
  assert.deepEqual((await list({ type: "ended" })).receipts, all.receipts.slice(-1));
  assert.deepEqual((await list({ toMs: 0 })).receipts, []);
  const [last] = all.receipts.slice(-1);
  for (const id of [last?.hash, `${last?.seq}`]) {
    assert.deepEqual((await call(client, "g", "receipts.get", { id })).result, last);
  }
  assert.equal(
    ((await call(client, "n", "receipts.get", { id: "sha256:none" })).error as { code: number }).code,
    -32602,
  );
  const { whole, count } = (await call(client, "v", "receipts.verify")).result as { whole: boolean; count: number };
  assert.deepEqual([whole, count], [true, all.receipts.length]);

  const page = await server.api("GET", "/api/v1/receipts?limit=2&type=policy-changed&after=1");
  assert.equal(page.status, 200);
  const over = await server.api("GET", `/api/v1/receipts/${last?.hash}`);
  assert.deepEqual(over.body, last);
  assert.equal((await server.api("POST", "/api/v1/receipts/verify", {})).status, 200);
});
