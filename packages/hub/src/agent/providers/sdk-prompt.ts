import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelRequest, PromptEntry } from "../models/index.ts";

export function toCallOptions({ system, entries, tools, signal }: ModelRequest): LanguageModelV4CallOptions {
  const prompt: LanguageModelV4Message[] = [{ role: "system", content: system }, ...toMessages(entries)];
  return { prompt, abortSignal: signal, ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }) };
}

function toTool({ name, description, inputSchema }: ModelRequest["tools"][number]): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema };
}

/** Names that every provider accepts back. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Replaces the name of a call that no provider would accept. */
const NO_TOOL = "no_such_tool";

/**
 * Merges consecutive results into one message. Converts the model's entries to a form that its provider accepts: a
 * rejected entry would be rejected with every later message, and the session lost.
 */
function toMessages(entries: readonly PromptEntry[]): LanguageModelV4Message[] {
  const messages: LanguageModelV4Message[] = [];
  const names = new CallNames();
  for (const entry of entries) {
    if (entry.role === "user") {
      messages.push({ role: "user", content: [{ type: "text", text: entry.text }] });
    } else if (entry.role === "assistant") {
      const text = entry.text.trim() === "" ? [] : [{ type: "text" as const, text: entry.text }];
      const calls = entry.calls.map(({ tool, input }) => {
        return { type: "tool-call" as const, toolCallId: names.next(), toolName: nameOf(tool), input };
      });
      const content = [...text, ...calls];
      if (content.length > 0) messages.push({ role: "assistant", content });
    } else {
      const output = { type: "text" as const, value: entry.text };
      const named = { toolCallId: names.answered(), toolName: nameOf(entry.tool) };
      const result = { type: "tool-result" as const, ...named, output };
      const last = messages.at(-1);
      if (last?.role === "tool") last.content.push(result);
      else messages.push({ role: "tool", content: [result] });
    }
  }
  return messages;
}

function nameOf(tool: string): string {
  return TOOL_NAME.test(tool) ? tool : NO_TOOL;
}

/**
 * Numbers calls anew, because a model can repeat an id and another provider's ids may be invalid. Results come in the
 * order of their calls.
 */
class CallNames {
  #calls = 0;
  #answers = 0;

  next(): string {
    this.#calls += 1;
    return `call_${this.#calls}`;
  }

  answered(): string {
    this.#answers += 1;
    return `call_${this.#answers}`;
  }
}
