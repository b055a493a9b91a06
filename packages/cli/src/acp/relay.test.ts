import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openProxyHub } from "../../test/mcp-proxy-fixture.ts";
import { AcpRelay } from "./relay.ts";

const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

const ANN = { id: "ann", role: "approver", name: "ann", sameUser: false, unattended: false } as const;

function line(message: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

function relayFor(homeDir: string) {
  const told = { agent: [] as string[], editor: [] as string[], warned: [] as string[] };
  const relay = new AcpRelay(homeDir, {
    toServer: async (text) => void told.agent.push(String(text)),
    toClient: async (text) => void told.editor.push(String(text)),
    warn: (sentence) => told.warned.push(sentence),
  });
  return { relay, told };
}

test("a question that is handed back is the editor's to ask; what it rejects is on record as never begun", async (t) => {
  const { homeDir, workspace } = await openProxyHub(t, { handBack: "always" });
  const { relay, told } = relayFor(homeDir);
  await relay.fromClient(line({ id: 1, method: "session/new", params: { cwd: workspace, mcpServers: [] } }));
  await relay.fromServer(line({ id: 1, result: { sessionId: "s" } }));
  const toolCall = { toolCallId: "c", kind: "execute", title: "Make", rawInput: { command: "touch made.txt" } };
  const question = line({
    id: 7,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall, options: OPTIONS },
  });
  await relay.fromServer(question);
  while (told.editor.length < 2) await sleep(5);
  assert.equal(told.editor[1], String(question));
  await relay.fromClient(line({ id: 7, result: { outcome: { outcome: "selected", optionId: "no" } } }));
  await relay.end("over");
  const last = () => readFileSync(join(homeDir, "audit.jsonl"), "utf8").trim().split("\n").at(-1) ?? "";
  while (!last().includes("made.txt")) await sleep(5);
  const audited = last();
  const { details } = JSON.parse(audited) as { details: Record<string, unknown> };
  assert.deepEqual(
    [details.command, details.kind, details.reportedBy, details.reason],
    ["touch made.txt", "not-started", "executor", "Rejected in the editor"],
  );
});

test("what can't be read as one message never reaches the editor", async () => {
  const { relay, told } = relayFor("/nonexistent");
  const create = { jsonrpc: "2.0", id: 1, method: "terminal/create", params: { sessionId: "s", command: "id" } };
  for (const text of [
    "{",
    JSON.stringify([create]),
    JSON.stringify("terminal/create"),
    JSON.stringify({ Method: "terminal/create", ...create }),
    JSON.stringify(create).replace('"method"', '"METHOD"'),
    '{"jsonrpc":"2.0","method":"terminal/create","method":"session/update"}',
  ]) {
    await relay.fromServer(Buffer.from(text));
  }
  assert.deepEqual([told.editor, told.agent], [[], []]);
  assert.equal(told.warned.length, 6);
  // An id that is none can't be answered to; it isn't passed on either.
  await relay.fromServer(Buffer.from(JSON.stringify({ ...create, id: {} })));
  assert.deepEqual(told.editor, []);
  assert.match(told.agent[0] ?? "", /isn't allowed/);
});

test("a terminal runs without another question only what was judged as that command, and only once it is allowed", async (t) => {
  const hub = await openProxyHub(t, {
    handBack: "always",
    denylist: [{ pattern: "touch made.txt" }],
  });
  const { homeDir, workspace } = hub;
  const waiting = async () => (await hub.served?.hub.approvals.list({ limit: 1 }, ANN))?.length ?? 0;
  const { relay, told } = relayFor(homeDir);
  await relay.fromClient(line({ id: 1, method: "session/new", params: { cwd: workspace, mcpServers: [] } }));
  await relay.fromServer(line({ id: 1, result: { sessionId: "s" } }));
  const asks = async (id: number, toolCall: object) => {
    const params = { sessionId: "s", toolCall: { toolCallId: `c${id}`, ...toolCall }, options: OPTIONS };
    await relay.fromServer(line({ id, method: "session/request_permission", params }));
    while (![...told.editor, ...told.agent].some((text) => text.includes(`"id":${id},`))) await sleep(5);
  };
  const create = async (id: number, params: object) => {
    await relay.fromServer(line({ id, method: "terminal/create", params: { sessionId: "s", ...params } }));
    while (![...told.editor, ...told.agent].some((text) => text.includes(`"id":${id},`))) await sleep(5);
    return told.agent.find((text) => text.includes(`"id":${id},`));
  };
  const allow = (id: number) =>
    relay.fromClient(line({ id, result: { outcome: { outcome: "selected", optionId: "yes" } } }));
  // A thought, or a change of another file, that only mentions the command.
  const rawInput = { command: "touch made.txt" };
  await asks(10, { kind: "think", title: "Hm", rawInput });
  await allow(10);
  assert.match((await create(11, rawInput)) ?? "", /error/);
  const content = [{ type: "diff", path: join(workspace, "a.txt"), oldText: null, newText: "a" }];
  await asks(11_000, { kind: "execute", title: "Hm", rawInput, content });
  assert.ok(!told.editor.some((text) => text.includes('"id":11000,')), "it was judged as the command, and denied");
  await asks(12, { kind: "edit", title: "Hm", rawInput, content });
  await allow(12);
  assert.match((await create(13, rawInput)) ?? "", /error/);
  // Whoever is asked in the editor hasn't answered yet: it is judged by itself, and so comes from our runner.
  await asks(14, { kind: "execute", title: "Hm", rawInput: { command: "mkdir made" } });
  const reached = () => told.editor.some((text) => text.includes('"id":15,'));
  const ran = create(15, { command: "mkdir made" });
  while (!reached() && (await waiting()) === 0) await sleep(5);
  assert.ok(!reached());
  await relay.fromServer(line({ method: "terminal/create", params: { sessionId: "s", ...rawInput } }));
  assert.ok(!told.editor.some((text) => text.includes("terminal/create") && text.includes("made.txt")));
  await relay.end("over");
  await ran;
});
