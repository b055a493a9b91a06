import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { FakeClock } from "../support/fake-clock.ts";
import { openServer, type TestServer } from "../support/open-server.ts";

interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

async function connect(t: TestContext, server: TestServer, token: string): Promise<Connected> {
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  t.after(() => client.close());
  return { client, transport };
}

async function asked(server: TestServer): Promise<ExecApprovalRequestPayload> {
  for (;;) {
    const { body } = await server.api("GET", "/api/v1/approvals");
    const [card] = body as ExecApprovalRequestPayload[];
    if (card) return card;
  }
}

async function none(server: TestServer): Promise<void> {
  while (((await server.api("GET", "/api/v1/approvals")).body as unknown[]).length > 0);
}

const textOf = (result: unknown) => {
  const { content } = CallToolResultSchema.parse(result);
  return content.map((one) => (one.type === "text" ? one.text : one.type)).join("\n");
};
const bash = (command: string) => ({ name: "bash", arguments: { command } });

test("an official client has our tools over HTTP, with an agent's token", async (t) => {
  const server = await openServer(t);
  const { token } = await server.makeToken("agent", "desk");
  const { client, transport } = await connect(t, server, token);
  assert.equal((await client.listTools()).tools.length, 5);
  assert.match(client.getInstructions() ?? "", /Countersign/);
  const ran = await client.callTool(bash("echo hello"));
  assert.deepEqual([textOf(ran), ran.isError], ["hello\n", undefined]);

  const told: string[] = [];
  const asking = client.callTool(bash("touch made"), undefined, {
    onprogress: ({ message }) => told.push(message ?? ""),
  });
  const card = await asked(server);
  assert.deepEqual([card.command, card.agentName], ["touch made", "desk"]);
  await server.api("POST", `/api/v1/approvals/${card.approvalId}/decision`, { decision: "deny", reason: "no" });
  const denied = await asking;
  assert.equal(denied.isError, true);
  assert.match(
    textOf(denied),
    /^Denied by .+: no\. Do not reach the same effect another way; propose something else or ask\.$/,
  );
  assert.match(told.join("\n"), /^Waiting for a person to answer \(\d+ s\)$/m);

  const written = await client.callTool({ name: "read_file", arguments: { path: "../out" } });
  assert.match(textOf(written), /^OUTSIDE_WORKSPACE/);
  assert.equal(written.isError, true);
  await assert.rejects(client.callTool({ name: "other", arguments: {} }), /There's no tool "other"/);

  await transport.terminateSession();
  await assert.rejects(client.listTools());
});

test("cancelling, and going away, withdraw", async (t) => {
  const server = await openServer(t);
  const { token } = await server.makeToken("agent", "desk");
  const first = await connect(t, server, token);
  const stop = new AbortController();
  const asking = first.client.callTool(bash("touch a"), undefined, { signal: stop.signal });
  await asked(server);
  stop.abort();
  await assert.rejects(asking);
  await none(server);
  const second = await connect(t, server, token);
  second.client.callTool(bash("touch b")).catch(() => undefined);
  await asked(server);
  await second.client.close();
  await none(server);
});

test("sessions are their token's, bounded, and end with it or when they are idle", async (t) => {
  const clock = new FakeClock();
  const server = await openServer(t, { mcpSessionsPerToken: 2, mcpSessions: 3 }, clock);
  const ann = await server.makeToken("agent", "ann");
  const bob = await server.makeToken("agent", "bob");
  const { transport } = await connect(t, server, ann.token);
  const stolen = await post(server, bob.token, { "mcp-session-id": transport.sessionId ?? "" }, PING);
  assert.equal(stolen.status, 404);
  await connect(t, server, ann.token);
  await assert.rejects(connect(t, server, ann.token), /mcpSessionsPerToken/);
  const other = await connect(t, server, bob.token);
  await assert.rejects(connect(t, server, bob.token), /mcpSessions\)/);
  await server.api("DELETE", `/api/v1/tokens/${ann.id}`);
  const { client } = await connect(t, server, bob.token);
  clock.advance(3_600_000);
  await assert.rejects(client.ping());
  await assert.rejects(other.client.ping());
});

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };

async function post(server: TestServer, token: string | undefined, headers: object, body: object | string) {
  const given = { ...HEADERS, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers };
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: given as Record<string, string>,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

test("the guards are those of all HTTP", async (t) => {
  const server = await openServer(t, { frameBytes: 4096 });
  const { token } = await server.makeToken("agent", "desk");
  const observer = await server.makeToken("observer", "eve");
  const rows: readonly [string, number, Promise<{ status: number }>][] = [
    ["no token", 401, post(server, undefined, {}, PING)],
    ["a wrong one", 401, post(server, "nonsense", {}, PING)],
    ["an observer's", 403, post(server, observer.token, {}, PING)],
    ["another origin", 401, post(server, token, { origin: "http://evil.example" }, PING)],
    ["another site's page", 401, post(server, token, { "sec-fetch-site": "cross-site" }, PING)],
    ["another type", 400, post(server, token, { "content-type": "text/plain" }, PING)],
    ["not JSON", 400, post(server, token, {}, "{")],
    ["no session", 400, post(server, token, {}, PING)],
    ["an unknown session", 404, post(server, token, { "mcp-session-id": "x" }, PING)],
    ["too large", 429, post(server, token, {}, { ...PING, params: { x: "x".repeat(5000) } })],
  ];
  for (const [what, status, answer] of rows) assert.equal((await answer).status, status, what);
  const { port, hostname } = new URL(server.url);
  const rebound = request({
    port,
    hostname,
    path: "/mcp",
    headers: { host: "evil.example", authorization: `Bearer ${token}` },
  });
  const [response] = await once(rebound.end(), "response");
  assert.equal(response.statusCode, 401);
  response.resume();
});
