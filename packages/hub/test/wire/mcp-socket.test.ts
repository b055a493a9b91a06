import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { openServer, type TestServer } from "../support/open-server.ts";

class Line {
  readonly socket: Socket;
  readonly #lines: AsyncIterator<string>;

  constructor(t: TestContext, { home }: TestServer) {
    this.socket = connect(home.socket);
    this.#lines = createInterface(this.socket)[Symbol.asyncIterator]();
    t.after(() => this.socket.destroy());
  }

  async ask(method: string, params: unknown): Promise<Record<string, unknown>> {
    this.socket.write(`${JSON.stringify({ method, params })}\n`);
    return await this.next();
  }

  async next(): Promise<Record<string, unknown>> {
    return JSON.parse((await this.#lines.next()).value as string) as Record<string, unknown>;
  }
}

const SEEN = { sha256: "a".repeat(64), text: '{"name":"t"}' };
const CALL = { server: "s", tool: "t", arguments: {}, seen: [SEEN], session: "mcp:1" };

async function allowed(t: TestContext): Promise<TestServer> {
  const server = await openServer(t);
  await server.api("POST", "/api/v1/policy/edit", {
    profile: "default",
    change: { action: "allow", entries: [{ pattern: "mcp:s **" }] },
  });
  return server;
}

async function ends(server: TestServer): Promise<readonly (readonly unknown[])[]> {
  const entries = (await server.readLedger()).filter(({ type }) => type === "ended");
  return entries.map(({ body }) => [body.kind, body.reportedBy, body.exitCode]);
}

test("a permit ends with its report, once, or with its connection", async (t) => {
  const server = await allowed(t);
  const line = new Line(t, server);
  assert.deepEqual(await line.ask("pinTools", { server: "s", tools: [{ name: "t", ...SEEN }] }), {
    ok: true,
    payload: {},
  });
  const first = await line.ask("proposeToolCall", CALL);
  const { permit } = first.payload as { permit: string };
  const outcome = { kind: "exited", exitCode: 0 };
  assert.equal((await line.ask("reportToolCall", { permit, outcome: { kind: "denied" } })).ok, false);
  assert.equal((await line.ask("reportToolCall", { permit, outcome })).ok, true);
  assert.equal((await line.ask("reportToolCall", { permit, outcome })).ok, false);
  assert.ok("permit" in ((await line.ask("proposeToolCall", CALL)).payload as object));
  line.socket.destroy();
  while ((await ends(server)).length < 2) await new Promise(setImmediate);
  assert.deepEqual(await ends(server), [
    ["exited", "executor", 0],
    ["aborted", "executor", undefined],
  ]);
});

test("a tool that isn't what it was waits for a person, and the connection's end withdraws that", async (t) => {
  const server = await allowed(t);
  const line = new Line(t, server);
  await line.ask("pinTools", { server: "s", tools: [{ name: "t", ...SEEN }] });
  // What is told later doesn't change what was kept.
  await line.ask("pinTools", { server: "s", tools: [{ name: "t", sha256: "b".repeat(64) }] });
  const other = { sha256: "b".repeat(64), text: "not JSON" };
  assert.deepEqual(await line.ask("proposeToolCall", { ...CALL, seen: [SEEN, other] }), { stage: "waiting" });
  line.socket.destroy();
  while ((await ends(server)).length < 1) await new Promise(setImmediate);
  assert.deepEqual(await ends(server), [["cancelled", "hub", undefined]]);
});

test("what can't be right is refused with its field", async (t) => {
  const server = await openServer(t);
  const line = new Line(t, server);
  const rows: readonly [string, unknown, RegExp][] = [
    ["proposeToolCall", null, /Not a tool call/],
    ["proposeToolCall", { ...CALL, arguments: [] }, /arguments/],
    ["proposeToolCall", { ...CALL, seen: [] }, /seen/],
    ["proposeToolCall", { ...CALL, seen: [{ sha256: "x" }] }, /seen\.0\.sha256/],
    ["proposeToolCall", { ...CALL, server: "" }, /server/],
    ["proposeToolCall", { ...CALL, cwd: "relative" }, /cwd/],
    ["proposeToolCall", { ...CALL, doubt: "none" }, /doubt/],
    ["proposeToolCall", { ...CALL, arguments: { text: "x".repeat(70_000) } }, /limit: toolCall/],
    ["pinTools", { server: "s", tools: [{ name: "t" }] }, /sha256/],
    ["reportToolCall", { permit: "nobody's", outcome: { kind: "exited" } }, /no such permit/],
    ["callTool", { tool: "bash", input: {} }, /session/],
  ];
  for (const [method, params, message] of rows) {
    const { ok, error } = await line.ask(method, params);
    assert.equal(ok, false);
    assert.match((error as { message: string }).message, message);
  }
  const told = await line.ask("callTool", { tool: "bash", input: { command: 7 }, session: "mcp:2" });
  const { text, isError } = told.payload as { text: string; isError: boolean };
  assert.match(text, /^INVALID_INPUT: command/);
  assert.equal(isError, true);
});
