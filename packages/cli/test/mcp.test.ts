import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Place } from "./countersign.ts";

const BIN = fileURLToPath(new URL("../bin/countersign.js", import.meta.url));
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

async function open(t: { after(fn: () => unknown): void }, args: readonly string[]): Promise<Opened> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const { PATH = "" } = process.env;
  const env = { PATH, COUNTERSIGN_HOME: place.home, HOME: place.workspace };
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

test("our own tools: run, asked with progress, denied in words, files", async (t) => {
  const { client } = await open(t, ["mcp"]);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["bash", "read_file", "write_file", "edit_file", "list_dir"],
  );
  const ran = await client.callTool({ name: "bash", arguments: { command: "echo hello; pwd" } });
  assert.equal(textOf(ran), `hello\n${place.workspace}\n`);
  assert.equal(ran.isError, undefined);
});
