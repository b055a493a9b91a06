import { objectsIn, sse, textIn } from "./sse.ts";
import type { Turn, Wire } from "./turn.ts";

/** OpenAI's Responses, streamed: what Codex speaks. */
export const openaiResponses: Wire = {
  matches: (path) => path.endsWith("/responses"),
  read: (body) => ({
    // Newer models get their tools in the conversation, and in namespaces.
    tools: [...objectsIn(body.tools), ...objectsIn(body.input).flatMap((item) => objectsIn(item.tools))]
      .flatMap((tool) => (tool.type === "namespace" ? objectsIn(tool.tools) : [tool]))
      .map((tool) => String(tool.name ?? tool.type)),
    results: objectsIn(body.input)
      .filter((item) => item.type === "function_call_output" || item.type === "custom_tool_call_output")
      .map((item) => textIn(item.output)),
  }),
  write: (turn) => ({ type: "text/event-stream", body: sse(events(turn), "named") }),
};

function events(turn: Turn): Record<string, unknown>[] {
  const response = { id: "resp_local", object: "response", status: "in_progress", output: [] };
  const item = itemOf(turn);
  return [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        output: [item],
        usage: {
          input_tokens: 1,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 1,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 2,
        },
      },
    },
  ];
}

/** A tool whose input is text alone (a patch) is called in a form of its own. */
function itemOf(turn: Turn): Record<string, unknown> {
  if (turn.kind === "say") {
    return {
      type: "message",
      id: "msg_local",
      role: "assistant",
      content: [{ type: "output_text", text: turn.text }],
    };
  }
  const { tool, input } = turn.call;
  if (typeof input.freeform === "string") {
    return { type: "custom_tool_call", id: `ctc_${turn.id}`, call_id: turn.id, name: tool, input: input.freeform };
  }
  return {
    type: "function_call",
    id: `fc_${turn.id}`,
    call_id: turn.id,
    name: tool,
    arguments: JSON.stringify(input),
  };
}
