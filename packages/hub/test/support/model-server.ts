import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export type Format = "anthropic" | "openai";

/** What the model says in a turn: pieces of text, then calls whose input comes in pieces. */
interface Saying {
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: readonly string[] }[];
  readonly stop?: "length";
}

/** One answer of the server: as the format has it, or as the test likes it. */
export type Answer = Saying | ((response: ServerResponse, say: (saying: Saying) => string[]) => void | Promise<void>);

interface AskedOf {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what was sent is what the tests look at
  readonly body: any;
}

export interface ModelServer {
  readonly baseURL: string;
  readonly asked: AskedOf[];
}

/** A local server that speaks a provider's format, and gives the answers in their order. */
export async function openModelServer(t: TestContext, format: Format, ...answers: Answer[]): Promise<ModelServer> {
  const asked: AskedOf[] = [];
  const frames = format === "anthropic" ? anthropicFrames : openAiFrames;
  const server = createServer(async (request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(await bodyOf(request)) });
    const answer = answers.shift() ?? { text: ["Nothing more."] };
    if (typeof answer === "function") return await answer(response, frames);
    beginStream(response);
    for (const frame of frames(answer)) response.write(frame);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function openAiFrames({ text = [], calls = [], stop }: Saying): string[] {
  const frame = (delta: object, finish_reason: string | null = null) =>
    data({
      id: "chat-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const reason = stop ?? (calls.length > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
  return [
    frame({ role: "assistant", content: "" }),
    ...text.map((content) => frame({ content })),
    ...calls.flatMap(({ id, name, input }, index) => [
      frame({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...input.map((piece) => frame({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    frame({}, reason),
    data({ id: "chat-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}

function anthropicFrames({ text = [], calls = [], stop }: Saying): string[] {
  const frame = (body: { type: string } & Record<string, unknown>) => `event: ${body.type}\n${data(body)}`;
  const first = { id: "msg_1", type: "message", role: "assistant", content: [], model: "m", stop_reason: null };
  const block = (index: number, content_block: object, deltas: readonly object[]) => [
    frame({ type: "content_block_start", index, content_block }),
    ...deltas.map((delta) => frame({ type: "content_block_delta", index, delta })),
    frame({ type: "content_block_stop", index }),
  ];
  const texts = text.map((piece) => ({ type: "text_delta", text: piece }));
  const offset = text.length > 0 ? 1 : 0;
  const reason = stop === "length" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
  return [
    frame({
      type: "message_start",
      message: { ...first, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
    }),
    ...(text.length > 0 ? block(0, { type: "text", text: "" }, texts) : []),
    ...calls.flatMap(({ id, name, input }, index) =>
      block(
        index + offset,
        { type: "tool_use", id, name, input: {} },
        input.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      ),
    ),
    frame({
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 2 },
    }),
    frame({ type: "message_stop" }),
  ];
}

function data(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}
