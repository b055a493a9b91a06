import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import type { OutputEvent } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import { Client } from "../support/open-server.ts";
import { eventually, type Serving, startServing, TOKEN } from "../support/serve-fixture.ts";

const FULL = { security: "full", ask: "off" };
const ASKS = { ask: "always", timeoutMs: 600_000 };
/** Says something on both streams, waits to be let go on, and says more. */
const TWO_PARTS = "echo one; echo uno >&2; while [ ! -e go ]; do sleep 0.02; done; echo two >&2; echo due; exit 3";

const letGo = (s: Serving) => writeFileSync(join(s.workspace, "go"), "");
const said = (events: readonly OutputEvent[]) => {
  const text = (name: string) => events.flatMap(({ stream, text }) => (stream === name ? text : [])).join("");
  return { stdout: text("stdout"), stderr: text("stderr") };
};

interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
  readonly data: any;
}

interface Stream {
  readonly status: number;
  readonly response: IncomingMessage;
  next(): Promise<ServerEvent | undefined>;
  rest(): Promise<ServerEvent[]>;
}

/** Server-sent events as they come. */
async function listen(
  t: TestContext,
  url: string,
  { body, token = TOKEN, after }: { body?: object; token?: string; after?: string | undefined } = {},
): Promise<Stream> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "text/event-stream",
    ...(body ? { "content-type": "application/json" } : {}),
    ...(after === undefined ? {} : { "last-event-id": after }),
  };
  const req = request(url, { method: body ? "POST" : "GET", agent: false, headers });
  t.after(() => req.destroy());
  req.on("error", () => undefined);
  req.end(body && JSON.stringify(body));
  const [response] = (await once(req, "response")) as [IncomingMessage];
  const events = parse(response);
  const next = async () => (await events.next()).value ?? undefined;
  return {
    response,
    status: response.statusCode ?? 0,
    next,
    async rest() {
      const all: ServerEvent[] = [];
      for (let event = await next(); event; event = await next()) all.push(event);
      return all;
    },
  };
}

async function* parse(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  let fields: Record<string, string> = {};
  for await (const line of createInterface({ input: response })) {
    const [, name = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name) fields[name] = value;
    if (line !== "") continue;
    const { event, id, data } = fields;
    if (event && data !== undefined) yield { event, ...(id === undefined ? {} : { id }), data: JSON.parse(data) };
    fields = {};
  }
}

async function start(s: Serving, command: string, proposalId = "p1"): Promise<void> {
  await s.propose(command, { proposalId }, { headers: { prefer: "respond-async" } });
}

const outputUrl = (s: Serving, name: string) => `${s.served.url}/api/v1/exec/${encodeURIComponent(name)}/output`;

async function makeToken(s: Serving, role: string): Promise<{ id: string; token: string }> {
  return (await s.call("/api/v1/tokens", { method: "POST", body: { role, name: role } })).body;
}

test("HTTP: output comes while the command runs, apart and in order, then how it ended", async (t) => {
  const s = await startServing(t, { profile: FULL });
  await start(s, TWO_PARTS);
  const stream = await listen(t, outputUrl(s, "p1"));
  assert.equal(stream.response.headers["content-type"], "text/event-stream");
  const first = [await stream.next(), await stream.next()];
  assert.deepEqual(said(first.map((event) => event?.data)), { stdout: "one\n", stderr: "uno\n" });
  letGo(s);
  const events = await stream.rest();
  const end = events.pop();
  assert.deepEqual(said(events.map(({ data }) => data)), { stdout: "due\n", stderr: "two\n" });
  assert.equal(end?.event, "end");
  const { kind, exitCode, stdout } = end.data;
  assert.deepEqual({ kind, exitCode, stdout }, { kind: "exited", exitCode: 3, stdout: undefined });
  const { body } = await s.call("/api/v1/exec/p1");
  assert.deepEqual([body.outcome.stdout, body.outcome.stderr], ["one\ndue\n", "uno\ntwo\n"]);

  const again = await listen(t, outputUrl(s, "p1"), { after: first[1]?.id });
  assert.deepEqual(await again.rest(), [...events, end]);
  assert.equal((await listen(t, outputUrl(s, "p1"), { after: "garbage" })).status, 400);
  assert.equal((await listen(t, outputUrl(s, "p2"))).status, 404);
});

test("HTTP: a proposal that accepts events is told its output and its outcome in one answer", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const url = `${s.served.url}/api/v1/exec`;
  const stream = await listen(t, url, { body: { command: TWO_PARTS, proposalId: "p1" } });
  assert.deepEqual((await stream.next())?.data.text, "one\n");
  letGo(s);
  const end = (await stream.rest()).at(-1);
  assert.deepEqual([end?.event, end?.data.kind, end?.data.exitCode], ["end", "exited", 3]);
  assert.equal((await listen(t, url, { body: { command: "" } })).status, 400);
  const denied = await listen(t, url, { body: { command: "rm -rf /" } });
  assert.deepEqual(
    (await denied.rest()).map(({ event, data }) => [event, data.kind]),
    [["end", "denied"]],
  );
  // The same proposal again, after its end: the same output, and nothing runs.
  const replayed = await listen(t, url, { body: { command: TWO_PARTS, proposalId: "p1" } });
  const events = await replayed.rest();
  assert.deepEqual(events.at(-1), end);
  assert.equal(said(events.map(({ data }) => data)).stdout, "one\ndue\n");
});

test("an agent follows its own runs and no one else's; who sees everything names them by approval or key", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const [agent, other, observer] = [
    await makeToken(s, "agent"),
    await makeToken(s, "agent"),
    await makeToken(s, "observer"),
  ];
  const headers = { authorization: `Bearer ${agent.token}`, prefer: "respond-async" };
  const { body } = await s.propose("echo mine", { proposalId: "p1" }, { headers });
  for (const name of ["p1", body.approvalId]) {
    assert.equal((await listen(t, outputUrl(s, name), { token: other.token })).status, 404, name);
  }
  const own = await listen(t, outputUrl(s, "p1"), { token: agent.token });
  const watched = await listen(t, outputUrl(s, body.approvalId), { token: observer.token });
  assert.equal((await listen(t, outputUrl(s, "p1"), { token: observer.token })).status, 404);
  await s.decide(body.approvalId, "allow-once");
  const events = await own.rest();
  assert.deepEqual(
    events.map(({ data }) => data.text ?? data.kind),
    ["mine\n", "exited"],
  );
  assert.deepEqual(await watched.rest(), events);
  const late = await listen(t, outputUrl(s, body.approvalId), { token: observer.token });
  assert.deepEqual(await late.rest(), events);
});

test("HTTP: a revoked token is told nothing more", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const { id, token } = await makeToken(s, "observer");
  await start(s, "echo one; while :; do sleep 0.02; done");
  const { key } = await eventually(async () => (await s.call("/api/v1/exec")).body[0]);
  const stream = await listen(t, outputUrl(s, key), { token });
  assert.equal((await stream.next())?.data.text, "one\n");
  await s.call(`/api/v1/tokens/${id}`, { method: "DELETE" });
  assert.deepEqual(await stream.rest(), []);
  await s.call("/api/v1/exec/p1", { method: "DELETE" });
});

test("a reader that doesn't read costs nothing and delays nothing; it gets the head, the tail and a count", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const command = "echo first; yes 0123456789abcde | head -c 200000000; echo last";
  const stream = await listen(t, `${s.served.url}/api/v1/exec`, { body: { command, proposalId: "p1" } });
  stream.response.pause();
  const before = process.memoryUsage().rss;
  const { body } = await s.call("/api/v1/exec/p1", { headers: { prefer: "wait=60" } });
  assert.equal(body.outcome.kind, "exited");
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 150_000_000, `${grown} bytes more`);
  const events = await stream.rest();
  events.pop();
  const told = events.map(({ data }) => data as OutputEvent);
  const omitted = told.reduce((sum, event) => sum + (event.omitted ?? 0), 0);
  const { stdout } = said(told);
  assert.ok(omitted > 0);
  assert.equal(stdout.length + omitted, 200_000_000 + "first\nlast\n".length);
  assert.ok(stdout.startsWith("first\n0123456789abcde\n") && stdout.endsWith("last\n"));
});

test("the local socket: lines of output, then the outcome without it; without `stream` as ever", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const socket = connect(s.served.home.socket);
  t.after(() => socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  const params = { command: TWO_PARTS, cwd: s.workspace };
  socket.write(`${JSON.stringify({ method: "proposeExec", params, stream: true })}\n`);
  assert.deepEqual(await next(), { output: { id: "4-0", stream: "stdout", text: "one\n" } });
  letGo(s);
  let line = await next();
  for (; line.output; line = await next());
  const { kind, exitCode, stdout, stderr } = line.payload;
  assert.deepEqual(
    { kind, exitCode, stdout, stderr },
    { kind: "exited", exitCode: 3, stdout: undefined, stderr: undefined },
  );
  for (const bad of [{ stream: 1 }, { stream: true, more: 1 }]) {
    socket.write(`${JSON.stringify({ method: "proposeExec", params, ...bad })}\n`);
    assert.equal((await next()).error.code, "INVALID_PARAMS");
  }
  socket.write(`${JSON.stringify({ method: "proposeExec", params })}\n`);
  assert.equal((await next()).payload.stdout, "one\ndue\n");
});

test("envelope: who asked is told, until the end or until it has enough; others aren't", async (t) => {
  const s = await startServing(t, { profile: FULL, limits: { followsPerConnection: 2 } });
  const { client, ask } = await openEnvelope(t, s);
  const { client: quiet } = await openEnvelope(t, s);
  await start(s, TWO_PARTS, "p1");
  await start(s, TWO_PARTS, "p2");
  assert.deepEqual(await ask("followOutput", { proposalId: "p1" }), { ok: true });
  const first = (await client.next(({ action }) => action === "exec-output")).payload;
  assert.deepEqual([first?.proposalId, first?.text], ["p1", "one\n"]);
  assert.deepEqual(await ask("followOutput", { proposalId: "p2" }), { ok: true });
  assert.deepEqual(await ask("unfollowOutput", { proposalId: "p2" }), { ok: true });
  assert.equal((await ask("followOutput", { proposalId: "p3" })).code, "NOT_FOUND");
  assert.equal((await ask("followOutput", { proposalId: "p1", after: "x" })).code, "INVALID_PARAMS");
  letGo(s);
  const ended = (await client.next(({ action }) => action === "exec-output-ended")).payload;
  assert.deepEqual([ended?.proposalId, (ended?.outcome as { exitCode: number } | undefined)?.exitCode], ["p1", 3]);
  await s.call("/api/v1/exec/p2", { headers: { prefer: "wait=60" } });
  assert.deepEqual(await ask("followOutput", { proposalId: "p1", after: first?.id }), { ok: true });
  await client.next(({ action }) => action === "exec-output-ended");
  const late = client.unread.filter(({ payload }) => payload?.proposalId === "p2" && payload.text !== "one\n");
  assert.ok(
    late.every(({ payload }) => payload?.text === "uno\n"),
    JSON.stringify(late),
  );
  assert.deepEqual(quiet.unread, []);
});

test("envelope: more outputs than one connection may follow are refused", async (t) => {
  const s = await startServing(t, { profile: FULL, limits: { followsPerConnection: 2, followers: 3 } });
  for (const id of ["p1", "p2", "p3"]) await start(s, TWO_PARTS, id);
  const [one, two] = [await openEnvelope(t, s), await openEnvelope(t, s)];
  for (const proposalId of ["p1", "p2"]) assert.deepEqual(await one.ask("followOutput", { proposalId }), { ok: true });
  assert.equal((await one.ask("followOutput", { proposalId: "p3" })).code, "LIMIT");
  await two.ask("followOutput", { proposalId: "p3" });
  await two.client.next(({ action }) => action === "exec-output");
  assert.equal((await listen(t, outputUrl(s, "p1"))).status, 429);
  one.client.socket.close();
  await eventually(async () => (await listen(t, outputUrl(s, "p1"))).status === 200);
  letGo(s);
});

test("RPC: exec.follow, exec.output and exec.output_ended", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const client = await Client.open(`${s.served.url}/`);
  t.after(() => client.socket.terminate());
  client.send({ type: "auth", token: TOKEN });
  await start(s, TWO_PARTS);
  client.send({ id: 1, method: "exec.follow", params: { proposalId: "p1" } });
  assert.deepEqual((await client.next(({ id }) => id === 1)).result, { ok: true });
  const { data } = await client.next(({ event }) => event === "exec.output");
  assert.deepEqual([data?.proposalId, data?.stream, data?.text], ["p1", "stdout", "one\n"]);
  letGo(s);
  const ended = await client.next(({ event }) => event === "exec.output_ended");
  assert.equal((ended.data?.outcome as { kind: string } | undefined)?.kind, "exited");
  client.send({ id: 2, method: "exec.unfollow", params: { proposalId: "p1" } });
  assert.deepEqual((await client.next(({ id }) => id === 2)).result, { ok: true });
});

test("an approver ends another's run by its key, an agent doesn't", async (t) => {
  const s = await startServing(t, { profile: FULL });
  const [agent, other] = [await makeToken(s, "agent"), await makeToken(s, "agent")];
  const headers = { authorization: `Bearer ${agent.token}`, prefer: "respond-async" };
  await s.propose("while :; do sleep 0.02; done", { proposalId: "p1" }, { headers });
  const [run] = await eventually(async () => {
    const runs = (await s.call("/api/v1/exec")).body;
    return runs.length > 0 && runs;
  });
  const { key, agentName, command, cwd } = run;
  const expected = { agentName: "agent", command: "while :; do sleep 0.02; done", cwd: s.workspace };
  assert.deepEqual({ agentName, command, cwd }, expected);
  const end = (token: string) =>
    s.call(`/api/v1/exec/${key}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  assert.equal((await end(other.token)).status, 404);
  assert.equal((await end(TOKEN)).status, 200);
  const { body } = await s.call("/api/v1/exec/p1", { headers: { ...headers, prefer: "wait=60" } });
  assert.match(body.outcome.kind, /^(aborted|not-started)$/);
  assert.deepEqual((await s.call("/api/v1/exec")).body, []);
});

async function openEnvelope(t: TestContext, s: Serving) {
  const client = await Client.open(`${s.served.url}/ws`);
  t.after(() => client.socket.terminate());
  const from = uuidv7();
  const payload = { deviceType: "client", token: TOKEN };
  client.send({ id: uuidv7(), from, to: "gateway", action: "register", payload });
  const to = (await client.next()).payload?.hubDeviceId;
  const ask = async (method: string, params: object) => {
    const requestId = uuidv7();
    client.send({ id: uuidv7(), from, to, action: "request", payload: { requestId, method, params } });
    const { payload: answer } = await client.next((frame) => frame.payload?.requestId === requestId);
    return (answer?.payload ?? answer?.error) as { ok?: boolean; code?: string };
  };
  return { client, ask };
}
