import { objectsIn, sse, textIn } from "./sse.ts";
import type { Turn, Wire } from "./turn.ts";

/** OpenAI's chat completions, streamed: what OpenCode speaks to a provider of one's own. */
export const openaiChat: Wire = {
  matches: (path) => path.endsWith("/chat/completions"),
  read: (body) => ({
    tools: objectsIn(body.tools).map((tool) => String(objectsIn([tool.function])[0]?.name)),
    results: objectsIn(body.messages)
      .filter((message) => message.role === "tool")
      .map((message) => textIn(message.content)),
  }),
  write: (turn) => ({ type: "text/event-stream", body: sse([...chunks(turn), "[DONE]"], "bare") }),
};

function chunks(turn: Turn): Record<string, unknown>[] {
  const delta =
    turn.kind === "call"
      ? {
          role: "assistant",
          tool_calls: [
            {
              index: 0,
              id: turn.id,
              type: "function",
              function: { name: turn.call.tool, arguments: JSON.stringify(turn.call.input) },
            },
          ],
        }
      : { role: "assistant", content: turn.text };
  const chunk = { id: "chat_local", object: "chat.completion.chunk", created: 1, model: "local" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    {
      ...chunk,
      choices: [{ index: 0, delta: {}, finish_reason: turn.kind === "call" ? "tool_calls" : "stop" }],
      usage,
    },
  ];
}
