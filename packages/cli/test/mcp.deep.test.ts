import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { BIN, Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

const cleaners: (() => unknown)[] = [];
const place = new Place({ after: (clean) => cleaners.push(clean) });
before(async () => {
  await place.serve();
});
after(async () => {
  for (const clean of cleaners.reverse()) await clean();
});

interface Opened {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  stderr(): string;
}

async function open(
  t: { after(fn: () => unknown): void },
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Opened> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const { PATH = "" } = process.env;
  const env = { PATH, COUNTERSIGN_HOME: place.home, HOME: place.workspace, ...more };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...args],
    cwd: place.workspace,
    env,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += chunk));
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport, stderr: () => stderr };
}

const textOf = (result: unknown) => {
  const { content } = CallToolResultSchema.parse(result);
  return content.map((one) => (one.type === "text" ? one.text : one.type)).join("\n");
};

const SERVER = fileURLToPath(new URL("../src/mcp/proxy/everything-server.ts", import.meta.url));
const decide = async (...args: readonly string[]) => {
  await place.waiting(1);
  const { stdout } = await place.run("pending", "--json");
  const [card] = JSON.parse(stdout) as { approvalId: string; command: string }[];
  assert.ok(card);
  const [verb = "", ...more] = args;
  assert.equal((await place.run(verb, card.approvalId, ...more)).code, 0);
  return card.command;
};

test("our own tools: run where the client is, asked with progress, denied in words, files, cancelled", async (t) => {
  const { client } = await open(t, ["mcp"]);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["bash", "read_file", "write_file", "edit_file", "list_dir"],
  );
  const ran = await client.callTool({ name: "bash", arguments: { command: "echo hello; pwd; exit 3" } });
  assert.deepEqual([textOf(ran), ran.isError], [`hello\n${place.workspace}\nExit code 3.`, undefined]);

  const told: string[] = [];
  const onprogress = ({ message = "" }) => told.push(message);
  const write = { name: "write_file", arguments: { path: "a.txt", content: "hi\n" } };
  const asking = client.callTool(write, undefined, { onprogress });
  assert.match(await decide("deny", "--reason", "not there"), /a\.txt/);
  const denied = await asking;
  assert.equal(denied.isError, true);
  assert.match(
    textOf(denied),
    /^Denied by .+: not there\. Do not reach the same effect another way; propose something else or ask\.$/,
  );
  assert.match(told[0] ?? "", /^Waiting for a person to answer/);

  const stop = new AbortController();
  const waiting = client.callTool({ name: "bash", arguments: { command: "touch b" } }, undefined, {
    signal: stop.signal,
  });
  await place.waiting(1);
  stop.abort();
  await assert.rejects(waiting);
  await place.waiting(0);
});

deepTest("a client that goes away withdraws what it asked", async (t) => {
  const { client } = await open(t, ["mcp"]);
  client.callTool({ name: "bash", arguments: { command: "touch c" } }).catch(() => undefined);
  await place.waiting(1);
  await client.close();
  await place.waiting(0);
});

test("the proxy before a real server: asked, allowed, recorded; its stderr and its end are passed on", async (t) => {
  const { client, stderr } = await open(t, ["mcp", "--proxy", "--name", "all", "--", process.execPath, SERVER]);
  assert.equal(client.getServerVersion()?.name, "everything");
  assert.equal((await client.listPrompts()).prompts.length, 1);
  const echo = client.callTool({ name: "echo", arguments: { q: 1 } });
  assert.equal(await decide("approve"), "mcp:all echo q=1");
  assert.equal(textOf(await echo), '{"q":1}');
  assert.match(stderr(), /everything-server is up/);
  const { stdout } = await place.run("receipts", "list", "--json");
  assert.equal(stdout.match(/"action":"dev.countersign.tool.call"/g)?.length, 3);
  // Mid-call: what waits is withdrawn.
  client.callTool({ name: "echo", arguments: {} }).catch(() => undefined);
  await place.waiting(1);
  await client.close();
  await place.waiting(0);
});

/** A server that is a few lines of JavaScript, behind the proxy, spoken to without any SDK. */
function raw(script: string, ...args: readonly string[]) {
  return place.start(["mcp", "--proxy", "--name", "odd", ...args, "--", process.execPath, "-e", script]);
}

test("a server's death is told, and the proxy ends as it does", async () => {
  const proxy = raw("process.stdin.once('data', () => process.exit(7))");
  proxy.child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
  const { code, stderr } = await proxy.ended;
  assert.equal(code, 7);
  assert.match(stderr, /The MCP server odd ended \(exit code 7\)/);
});

deepTest("lines of all kinds: half ones, long ones, and what isn't JSON", async () => {
  // Answers each line with its length, after a line that is no JSON and one that comes in two pieces.
  const script = String.raw`
    let held = "";
    process.stdout.write("this is a log line\n");
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/mess');
    process.stdin.once("data", () => process.stdout.write('age","params":{}}\n'));
    process.stdin.on("data", (chunk) => {
      held += chunk;
      for (let at = held.indexOf("\n"); at >= 0; at = held.indexOf("\n")) {
        const { id, params } = JSON.parse(held.slice(0, at));
        held = held.slice(at + 1);
        const back = "y".repeat(params.back);
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { got: params.text.length, back } }) + "\n");
      }
    });`;
  const proxy = raw(script);
  const send = (text: string) => proxy.child.stdin?.write(text);
  const big = 10 * 1024 * 1024;
  send('{"jsonrpc":"2.0","id":1,"meth');
  send('od":"x/y","params":{"text":"","back":0}}\nnot JSON\n\n');
  send(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "x/y", params: { text: "x".repeat(big), back: big } })}\n`);
  await place.until(async () => proxy.printed.includes('"id":2') && proxy.printed.endsWith("}\n"));
  proxy.child.stdin?.end('{"jsonrpc":"2.0","id":3,"method":"half');
  const { code, stdout, stderr } = await proxy.ended;
  assert.equal(code, 0);
  assert.match(stderr, /JSON/);
  const lines = stdout.trimEnd().split("\n");
  assert.ok(!stdout.includes("this is a log line"));
  assert.ok(lines.includes('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'));
  assert.ok(
    lines.includes('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: not JSON in UTF-8"}}'),
  );
  const long = lines.find((line) => line.startsWith('{"jsonrpc":"2.0","id":2')) ?? "{}";
  const { result } = JSON.parse(long) as { result: { got: number; back: string } };
  assert.deepEqual([result.got, result.back.length], [big, big]);
  assert.ok(!stdout.includes('"id":3'));
});

deepTest("a line without end is given up, and so is a client that doesn't read", async () => {
  const endless = raw(
    "const x = Buffer.alloc(1 << 20, 120); const go = () => { while (process.stdout.write(x)); process.stdout.once('drain', go); }; go();",
  );
  const { code, stderr } = await endless.ended;
  assert.equal(code, 1);
  assert.match(stderr, /A line is longer than \d+ bytes/);
  // Floods: nothing is lost, and nobody keeps it all while the client is slow.
  const flood = raw(
    "let n = 0; const go = () => { while (n < 20000) if (!process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { n: n++, pad: 'x'.repeat(1000) } }) + '\\n')) return process.stdout.once('drain', go); }; go();",
  );
  const ended = await flood.ended;
  assert.equal(ended.code, 0);
  const counted = ended.stdout.trimEnd().split("\n");
  assert.equal(counted.length, 20_000);
  assert.ok(
    counted.every((line, at) => line.startsWith(`{"jsonrpc":"2.0","method":"notifications/x","params":{"n":${at},`)),
  );
});

deepTest("our own server takes nothing but the protocol, and writes nothing else", async () => {
  const own = place.start(["mcp"]);
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  own.child.stdin?.write(`garbage\n{"jsonrpc":"2.0"}\n\n`);
  own.child.stdin?.write(`{"jsonrpc":"2.0","id":7,"result":{}}\n`);
  own.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`);
  await place.until(async () => own.printed.includes('"id":1'));
  own.child.stdin?.end('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash","argu');
  const { code, stdout } = await own.ended;
  assert.equal(code, 0);
  for (const line of stdout.trimEnd().split("\n"))
    assert.equal((JSON.parse(line) as { jsonrpc?: string }).jsonrpc, "2.0");
});

deepTest("the proxy before a server that is reached over HTTP", async (t) => {
  const { stdout } = await place.run("token", "create", "--role", "agent", "--name", "far", "--json");
  const { token } = JSON.parse(stdout) as { token: string };
  const url = `${(await place.hub()).url}/mcp`;
  const args = ["--server-url", url, "--name", "far", "--header", "Authorization: Bearer ${FAR_TOKEN}"];
  const { client } = await open(t, ["mcp", "--proxy", ...args], { FAR_TOKEN: token });
  assert.equal((await client.listTools()).tools.length, 5);
  const calling = client.callTool({ name: "bash", arguments: { command: "echo far" } });
  assert.equal(await decide("approve"), "mcp:far bash 'command=echo far'");
  assert.equal(textOf(await calling), "far\n");
  const refused = await open(t, ["mcp", "--proxy", ...args], { FAR_TOKEN: "wrong" }).catch(
    (cause: Error) => cause.message,
  );
  assert.match(String(refused), /The MCP server can't be reached/);
});

test("a server that can't be started, and a command line that is wrong", async () => {
  const missing = await place.run("mcp", "--proxy", "--", "no-such-program-anywhere");
  assert.equal(missing.code, 125);
  assert.match(missing.stderr, /no-such-program-anywhere isn't on PATH/);
  assert.equal(missing.stdout, "");
  assert.equal((await place.run("mcp", "--proxy")).code, 2);
  assert.equal((await place.run("mcp", "server")).code, 2);
  // It would ask this home's hub, and not the one that was named.
  const elsewhere = await place.run("mcp", "--url", "http://127.0.0.1:9");
  assert.deepEqual([elsewhere.code, elsewhere.stdout], [2, ""]);
  assert.match(elsewhere.stderr, /give --home instead of --url/);
});

test("without a hub our server answers, and says what to do", async (t) => {
  const alone = new Place(t);
  const client = new Client({ name: "test", version: "1" });
  const { PATH = "" } = process.env;
  const env = { PATH, COUNTERSIGN_HOME: alone.home, HOME: alone.workspace };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp"],
    cwd: alone.workspace,
    env,
  });
  t.after(() => client.close());
  await client.connect(transport);
  assert.equal((await client.listTools()).tools.length, 5);
  const result = await client.callTool({ name: "bash", arguments: { command: "ls" } });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /^No hub is running for .* Start one with `.*serve`\. Nothing was run\.$/);
  await alone.serve();
  assert.equal((await client.callTool({ name: "bash", arguments: { command: "echo back" } })).isError, undefined);
});
