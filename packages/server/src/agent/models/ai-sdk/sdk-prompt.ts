import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelRequest, PromptEntry } from "../model.ts";

export function toCallOptions({ system, entries, tools, signal }: ModelRequest): LanguageModelV4CallOptions {
  const prompt: LanguageModelV4Message[] = [{ role: "system", content: system }, ...toMessages(entries)];
  return { prompt, abortSignal: signal, ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }) };
}

function toTool({ name, description, inputSchema }: ModelRequest["tools"][number]): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema };
}

/** Results that follow each other are one message. */
function toMessages(entries: readonly PromptEntry[]): LanguageModelV4Message[] {
  const messages: LanguageModelV4Message[] = [];
  for (const entry of entries) {
    if (entry.role === "user") {
      messages.push({ role: "user", content: [{ type: "text", text: entry.text }] });
    } else if (entry.role === "assistant") {
      const text = entry.text === "" ? [] : [{ type: "text" as const, text: entry.text }];
      const calls = entry.calls.map(({ callId, tool, input }) => {
        return { type: "tool-call" as const, toolCallId: callId, toolName: tool, input };
      });
      messages.push({ role: "assistant", content: [...text, ...calls] });
    } else {
      const output = { type: "text" as const, value: entry.text };
      const result = { type: "tool-result" as const, toolCallId: entry.callId, toolName: entry.tool, output };
      const last = messages.at(-1);
      if (last?.role === "tool") last.content.push(result);
      else messages.push({ role: "tool", content: [result] });
    }
  }
  return messages;
}
