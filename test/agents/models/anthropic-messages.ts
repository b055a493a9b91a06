import { objectsIn, sse, textIn } from "./sse.ts";
import type { Turn, Wire } from "./turn.ts";

/** Anthropic's Messages, streamed: what Claude Code speaks. */
export const anthropicMessages: Wire = {
  matches: (path) => path.endsWith("/v1/messages"),
  read: (body) => ({
    tools: objectsIn(body.tools).map((tool) => String(tool.name)),
    results: objectsIn(body.messages)
      .flatMap((message) => objectsIn(message.content))
      .filter((part) => part.type === "tool_result")
      .map((part) => textIn(part.content)),
  }),
  write: (turn) => ({ type: "text/event-stream", body: sse(events(turn), "named") }),
};

function events(turn: Turn): Record<string, unknown>[] {
  const [block, delta] =
    turn.kind === "call"
      ? [
          { type: "tool_use", id: turn.id, name: turn.call.tool, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(turn.call.input) },
        ]
      : [
          { type: "text", text: "" },
          { type: "text_delta", text: turn.text },
        ];
  return [
    {
      type: "message_start",
      message: {
        id: "msg_local",
        type: "message",
        role: "assistant",
        model: "local",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: turn.kind === "call" ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
}
