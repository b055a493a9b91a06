import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicMessages } from "./anthropic-messages.ts";
import { geminiContent } from "./gemini-content.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Conversation, ScriptedCall, Turn, Wire } from "./turn.ts";

const wires: readonly Wire[] = [anthropicMessages, openaiResponses, openaiChat, geminiContent];

/** A model on this machine that has its agent call tools, one after the other, and then is done. */
export interface ModelServer {
  readonly url: string;
  /** What the model is to do from now on. */
  readonly script: (calls: readonly ScriptedCall[]) => void;
  /** What the agent answered each call with: the words that a real model would have read. */
  readonly results: () => readonly string[];
  /** Requests in no wire known here, and tools that the agent doesn't offer: why a test failed. */
  readonly strange: () => readonly string[];
  readonly close: () => Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  let calls: readonly ScriptedCall[] = [];
  let results: readonly string[] = [];
  let strange: string[] = [];

  function next({ tools, results: soFar }: Conversation): Turn {
    const scripted = calls[soFar.length];
    if (tools.length === 0 || scripted === undefined) return { kind: "say", text: "Done." };
    const call = typeof scripted === "function" ? scripted(soFar) : scripted;
    if (!tools.includes(call.tool)) {
      strange.push(`${call.tool} isn't among ${tools.join(", ")}`);
      return { kind: "say", text: "Done." };
    }
    return { kind: "call", id: `call_${soFar.length + 1}`, call };
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const wire = wires.find(({ matches }) => matches(path.split("?")[0] ?? ""));
    const body = await bodyOf(request);
    if (wire === undefined || request.method !== "POST") {
      strange.push(`${request.method} ${path}`);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const conversation = wire.read(body);
    if (conversation.results.length > results.length) results = conversation.results;
    const answer = wire.write(next(conversation), path);
    response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    script: (wanted) => {
      calls = wanted;
      results = [];
      strange = [];
    },
    results: () => results,
    strange: () => strange,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
