import { type ChatBody, chatBodySchema } from "@countersign/protocol/hub";
import type { MessageRecord } from "@countersign/store";
import type { PromptEntry } from "./models/index.ts";

const INTERRUPTED = "This was interrupted; whether it ran is on record, and not known here.";

/** A stored entry; undefined where something has spoilt it. */
export function readBody({ body }: Pick<MessageRecord, "body">): ChatBody | undefined {
  return chatBodySchema.safeParse(body).data;
}

/**
 * A transcript as models take it: it begins with a person's message, and behind each call of a tool stands its one result. What
 * a crash or a spoilt row has taken is said to be missing.
 */
export function promptEntries(bodies: readonly ChatBody[]): PromptEntry[] {
  const entries: PromptEntry[] = [];
  const first = bodies.findIndex(({ role }) => role === "user");
  const from = first < 0 ? [] : bodies.slice(first);
  for (const [index, body] of from.entries()) {
    if (body.role === "user") entries.push({ role: "user", text: body.text });
    if (body.role !== "assistant" || (body.text === "" && body.calls.length === 0)) continue;
    const { text, calls } = body;
    entries.push({ role: "assistant", text, calls: calls.map(({ callId, tool, input }) => ({ callId, tool, input })) });
    const answers = resultsAfter(from, index);
    for (const { callId, tool } of calls) {
      entries.push({ role: "tool", callId, tool, text: answers.get(callId) ?? INTERRUPTED });
    }
  }
  return entries;
}

function resultsAfter(bodies: readonly ChatBody[], index: number): Map<string, string> {
  const results = new Map<string, string>();
  for (const body of bodies.slice(index + 1)) {
    if (body.role !== "tool") break;
    results.set(body.callId, body.text);
  }
  return results;
}
