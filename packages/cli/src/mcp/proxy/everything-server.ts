import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

/** A server with all of MCP, for tests: what it was asked is told by `seen`. */
export function everythingServer(): Server {
  const server = new Server(
    { name: "everything", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
        experimental: { "example.org/odd": { a: 1 } },
      },
      instructions: "Read me first.",
    },
  );
  const seen: string[] = [];
  let description = "Gives back what it gets";
  const extra: string[] = [];
  const object = { type: "object" as const };
  const names = [
    "echo",
    "picture",
    "big",
    "slow",
    "steps",
    "ask-model",
    "ask-person",
    "roots",
    "fails",
    "turn",
    "grow",
    "seen",
    "log",
  ];
  const tools = () => [
    ...names.map((name) => ({
      name,
      description: name === "echo" ? description : `Does ${name}`,
      inputSchema: object,
      annotations: { readOnlyHint: true },
    })),
    ...extra.map((name) => ({ name, description: `Came later: ${name}`, inputSchema: object })),
  ];
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const page = tools().slice(from, from + 5);
    return { tools: page, ...(from + 5 < tools().length ? { nextCursor: `${from + 5}` } : {}) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, request) => {
    const given = params.arguments ?? {};
    seen.push(params.name);
    switch (params.name) {
      case "echo":
        return { ...text(JSON.stringify(given)), structuredContent: given, _meta: { "example.org/x": 1 } };
      case "picture":
        return { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };
      case "big":
        return text("x".repeat(Number(given.size)));
      case "slow":
        await sleep(60_000, undefined, { signal: request.signal }).catch(() => seen.push("slow was cancelled"));
        return text("late");
      case "steps":
        for (let progress = 1; progress <= 3; progress += 1) {
          const progressToken = params._meta?.progressToken;
          if (progressToken !== undefined)
            await request.sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress, total: 3 },
            });
        }
        return text("done");
      case "ask-model": {
        const messages = [{ role: "user" as const, content: { type: "text" as const, text: "2+2?" } }];
        return text(JSON.stringify(await server.createMessage({ messages, maxTokens: 5 })));
      }
      case "ask-person": {
        const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
        return text(JSON.stringify(await server.elicitInput({ message: "Who?", requestedSchema })));
      }
      case "roots":
        return text(JSON.stringify(await server.listRoots()));
      case "fails":
        return { ...text("it failed"), isError: true };
      case "turn":
        description = String(given.description);
        await server.sendToolListChanged();
        return text("turned");
      case "grow":
        extra.push(String(given.name));
        await server.sendToolListChanged();
        return text("grown");
      case "log":
        await server.sendLoggingMessage({ level: "error", logger: "t", data: { a: [1] } });
        return text("logged");
      case "seen":
        return text(JSON.stringify(seen));
      default:
        if (extra.includes(params.name)) return text(`hello from ${params.name}`);
        throw new Error(`no tool ${params.name}`);
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      { uri: "test://text", name: "text", mimeType: "text/plain" },
      { uri: "test://blob", name: "blob", mimeType: "image/png" },
    ],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://{id}", name: "any" }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [
      uri === "test://blob" ? { uri, blob: PNG, mimeType: "image/png" } : { uri, text: "a\u2028b\u0000c ü 😀" },
    ],
  }));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    await server.sendResourceUpdated({ uri });
    return {};
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello ${params.arguments?.who}` } }],
  }));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: [`${params.argument.value}!`], total: 1, hasMore: false },
  }));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(
    z.object({ method: z.literal("example.org/own"), params: z.looseObject({}) }),
    ({ params }) => ({ back: params }),
  );
  return server;
}

if (import.meta.main) {
  process.stderr.write("everything-server is up\n");
  await everythingServer().connect(new StdioServerTransport());
  process.stdin.once("end", () => process.exit(0));
}
