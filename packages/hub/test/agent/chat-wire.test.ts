import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChatHistory,
  type ChatResumed,
  chatEventSchema,
  chatHistorySchema,
  chatListSchema,
  chatResumedSchema,
} from "@countersign/protocol/hub";
import { Client, type Frame, openServer, type TestServer } from "../support/open-server.ts";

async function login(server: TestServer, token = server.token): Promise<Client> {
  const client = await Client.open(`${server.url}/`);
  client.send({ type: "auth", token });
  assert.deepEqual(await client.next(), { type: "auth", ok: true });
  return client;
}

let ids = 0;
async function call(client: Client, method: string, params: unknown = {}): Promise<Frame & { result: never }> {
  ids += 1;
  const id = `call-${ids}`;
  client.send({ id, method, params });
  return (await client.next((frame) => frame.id === id)) as Frame & { result: never };
}

async function create(client: Client): Promise<string> {
  return ((await call(client, "sessions.create")).result as { sessionKey: string }).sessionKey;
}

const problemOf = ({ error }: Frame) => error as { code: number; message: string } | undefined;
const isEnd = ({ event }: Frame) => event === "chat.final" || event === "chat.error";
const isChat = ({ event }: Frame) => String(event).startsWith("chat.");

/** The events of a chat up to the end of the run. */
async function untilEnd(client: Client): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const frame = await client.next(isChat);
    frames.push(frame);
    if (isEnd(frame)) return frames;
  }
}

async function worksStill(client: Client, sessionKey: string): Promise<void> {
  await call(client, "chat.send", { sessionKey, message: "hello" });
  assert.equal((await untilEnd(client)).at(-1)?.event, "chat.final");
}

test("bad input: a clear error each, and the session is usable afterwards", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  const sessionKey = await create(client);
  const table: [string, unknown, number, RegExp][] = [
    ["chat.send", { sessionKey: "unknown", message: "hi" }, -32602, /no such session/],
    ["chat.history", { sessionKey: "unknown" }, -32602, /no such session/],
    ["chat.resume", { sessionKey: "unknown" }, -32602, /no such session/],
    ["chat.abort", { sessionKey: "unknown" }, -32602, /no such session/],
    ["sessions.get", { sessionKey: "unknown" }, -32602, /no such session/],
    ["sessions.create", { agent: "nobody" }, -32602, /no agent "nobody"/],
    ["sessions.create", { agent: "__proto__" }, -32602, /no agent/],
    ["sessions.create", { sessionKey: "policy:x" }, -32602, /are ours/],
    ["chat.sing", { sessionKey }, -32601, /no method/],
    ["chat.send", { sessionKey, message: "x".repeat(32_001) }, -32602, /message: is longer than 32000 characters/],
    ["chat.send", { sessionKey, message: "" }, -32602, /message: is empty/],
    ["chat.send", { sessionKey, message: " \n" }, -32602, /message: is empty/],
    ["chat.send", { sessionKey, message: 7 }, -32602, /message: /],
    ["chat.send", { sessionKey }, -32602, /message: /],
    ["chat.send", { sessionKey, message: "\ud800" }, -32602, /message: isn't valid Unicode/],
    ["chat.send", { sessionKey, message: "hi", model: "openai/gpt" }, -32602, /model/],
    ["chat.history", { sessionKey, limit: 1_001 }, -32602, /limit: /],
    ["chat.history", { sessionKey, before: 0 }, -32602, /before: /],
    ["chat.resume", { sessionKey, after: -1 }, -32602, /after: /],
  ];
  for (const [method, params, code, words] of table) {
    const problem = problemOf(await call(client, method, params));
    assert.equal(problem?.code, code, `${method} ${JSON.stringify(params).slice(0, 80)}`);
    assert.match(problem?.message ?? "", words);
  }
  await call(client, "chat.send", { sessionKey, message: "x".repeat(32_000) });
  assert.equal((await untilEnd(client)).at(-1)?.event, "chat.final");
  await worksStill(client, sessionKey);
});

test("bytes that aren't UTF-8 end the connection, and the session lives on", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  const sessionKey = await create(client);
  client.socket.send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), { binary: false });
  assert.equal((await client.closed).code, 1007);
  await worksStill(await login(server), sessionKey);
});

test("two messages at once: one is answered, the other told to wait", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  const sessionKey = await create(client);
  const answers = await Promise.all(["a", "b"].map((message) => call(client, "chat.send", { sessionKey, message })));
  assert.deepEqual(answers.map((answer) => problemOf(answer)?.code ?? "taken").sort(), [-32602, "taken"]);
  assert.match(answers.map((answer) => problemOf(answer)?.message ?? "").join(""), /still answers/);
  await untilEnd(client);
  await worksStill(client, sessionKey);
});

test("several clients see the same, in the same order; who comes back gets what was missed", async (t) => {
  const server = await openServer(t);
  const [first, second] = [await login(server), await login(server)];
  const sessionKey = await create(first);
  const joined = chatResumedSchema.parse((await call(second, "chat.resume", { sessionKey })).result) as ChatResumed;
  assert.deepEqual([joined.seq, joined.complete, joined.events], [0, false, []]);
  await call(first, "chat.send", { sessionKey, message: "Run: echo one" });
  const { data } = await first.next(({ event }) => event === "exec.approval_request");
  // In the middle of it the second one is cut off.
  await second.next(({ event }) => event === "chat.proposed");
  const has = 3;
  second.socket.terminate();
  await call(first, "exec.approve", { approvalId: data?.approvalId });
  const all = await untilEnd(first);
  assert.deepEqual(
    all.map((frame) => frame.data?.seq),
    all.map((_, index) => index + 1),
  );
  for (const frame of all) chatEventSchema.parse(frame);
  const back = await login(server);
  const { stream } = joined;
  const resumed = chatResumedSchema.parse((await call(back, "chat.resume", { sessionKey, stream, after: has })).result);
  assert.equal(resumed.complete, true);
  assert.deepEqual(resumed.events, all.slice(has));
  await call(first, "chat.send", { sessionKey, message: "hello" });
  assert.deepEqual(await untilEnd(back), await untilEnd(first));
});

test("history over the wire comes in pages that fit a frame", async (t) => {
  const server = await openServer(t, { frameBytes: 100_000 });
  const client = await login(server);
  const sessionKey = await create(client);
  for (let index = 0; index < 6; index += 1) {
    await call(client, "chat.send", { sessionKey, message: `${index} ${"x".repeat(31_000)}` });
    await untilEnd(client);
  }
  const seen: number[] = [];
  for (let before: number | undefined; ; ) {
    const { result } = await call(client, "chat.history", { sessionKey, ...(before === undefined ? {} : { before }) });
    const page: ChatHistory = chatHistorySchema.parse(result);
    assert.ok(page.messages.length > 0);
    seen.unshift(...page.messages.map(({ seq }) => seq));
    before = page.next;
    if (before === undefined) break;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
});

test("an agent's token: its own sessions only, and an observer only reads", async (t) => {
  const server = await openServer(t);
  const approver = await login(server);
  const sessionKey = await create(approver);
  await worksStill(approver, sessionKey);
  const agent = await login(server, (await server.makeToken("agent", "codex")).token);
  for (const method of ["chat.history", "chat.resume", "chat.abort"]) {
    assert.equal(problemOf(await call(agent, method, { sessionKey }))?.code, -32602, method);
  }
  assert.equal(problemOf(await call(agent, "chat.send", { sessionKey, message: "hi" }))?.code, -32602);
  await worksStill(agent, await create(agent));
  assert.deepEqual(agent.unread, []);
  const observer = await login(server, (await server.makeToken("observer")).token);
  assert.equal(problemOf(await call(observer, "chat.send", { sessionKey, message: "hi" }))?.code, -32001);
  const { result } = await call(observer, "chat.history", { sessionKey });
  assert.equal(chatHistorySchema.parse(result).messages.length, 2);
});

test("a revoked token's run ends, and what it asked is withdrawn", async (t) => {
  const server = await openServer(t);
  const approver = await login(server);
  const { id, token } = await server.makeToken("agent", "codex");
  const agent = await login(server, token);
  const sessionKey = await create(agent);
  await call(agent, "chat.send", { sessionKey, message: "Run: touch x" });
  await approver.next(({ event }) => event === "exec.approval_request");
  await call(approver, "chat.resume", { sessionKey });
  await server.api("DELETE", `/api/v1/tokens/${id}`);
  const last = (await untilEnd(approver)).at(-1);
  assert.deepEqual([last?.event, last?.data?.stop], ["chat.final", "aborted"]);
  assert.equal(server.hub.approvals.pending, 0);
});

test("chat.list: those that were used last first, by how they begin; an agent's own only", async (t) => {
  const server = await openServer(t);
  const client = await login(server);
  const [first, second] = [await create(client), await create(client)];
  const list = async (by: Client) => chatListSchema.parse((await call(by, "chat.list")).result).chats;
  assert.deepEqual(
    (await list(client)).map(({ sessionKey, title }) => [sessionKey, title]),
    [
      [second, undefined],
      [first, undefined],
    ],
  );
  await call(client, "chat.send", { sessionKey: first, message: `\n ${"long ".repeat(40)}\nand more` });
  await untilEnd(client);
  const [newest] = await list(client);
  assert.equal(newest?.sessionKey, first);
  assert.match(newest.title ?? "", /^(long ){24}…$/);
  assert.equal(newest.runId, undefined);
  assert.equal(newest.agent, "assistant");
  const { token } = await server.makeToken("agent");
  assert.deepEqual(await list(await login(server, token)), []);
});
