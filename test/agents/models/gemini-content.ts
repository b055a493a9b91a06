import { objectsIn, sse } from "./sse.ts";
import type { Turn, Wire } from "./turn.ts";

/** Gemini's generateContent, streamed or not: what the Gemini CLI speaks. */
export const geminiContent: Wire = {
  matches: (path) => /:(?:streamG|g)enerateContent/.test(path),
  read: (body) => ({
    tools: objectsIn(body.tools)
      .flatMap((tool) => objectsIn(tool.functionDeclarations))
      .map((declaration) => String(declaration.name)),
    results: objectsIn(body.contents)
      .flatMap((content) => objectsIn(content.parts))
      .flatMap((part) => objectsIn([part.functionResponse]))
      .map((result) => JSON.stringify(result.response)),
  }),
  write: (turn, path) => {
    const answer = candidates(turn);
    return path.includes(":stream")
      ? { type: "text/event-stream", body: sse([answer], "bare") }
      : { type: "application/json", body: JSON.stringify(answer) };
  },
};

function candidates(turn: Turn): Record<string, unknown> {
  const part =
    turn.kind === "call" ? { functionCall: { name: turn.call.tool, args: turn.call.input } } : { text: turn.text };
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}
