import type { ChatEvent, ChatHistory, ChatUsage } from "@countersign/protocol/hub";
import type { OutcomeWithoutOutput } from "@countersign/protocol/proposals";

/** The items of a session's page, in order. `key` is stable over an item's life. */
export type ChatItem =
  | { readonly kind: "user"; readonly key: string; readonly runId: string; readonly text: string; readonly by: string }
  | { readonly kind: "said"; readonly key: string; readonly runId: string; readonly text: string }
  | CallItem
  | {
      readonly kind: "end";
      readonly key: string;
      readonly runId: string;
      readonly words: string;
      readonly isProblem: boolean;
    }
  | { readonly kind: "unreadable"; readonly key: string; readonly runId: string };

export interface CallItem {
  readonly kind: "call";
  readonly key: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  /** Its last proposal. */
  readonly proposalId?: string;
  readonly result?: { readonly text: string; readonly outcome?: OutcomeWithoutOutput | undefined };
}

/** Converts the transcript to the items that the live events would have made. */
export function itemsOf(messages: ChatHistory["messages"]): readonly ChatItem[] {
  let items: readonly ChatItem[] = [];
  for (const message of messages) items = [...items.slice(0, -WINDOW), ...addMessage(items.slice(-WINDOW), message)];
  return items;
}

/** A result is at most this far after its call: a turn has 32 calls. */
const WINDOW = 80;

function addMessage(items: readonly ChatItem[], message: ChatHistory["messages"][number]): readonly ChatItem[] {
  const key = `m${message.seq}`;
  if (message.role === "unreadable") return [...items, { kind: "unreadable", key, runId: "" }];
  const { runId } = message;
  switch (message.role) {
    case "user":
      return [...items, { kind: "user", key, runId, text: message.text, by: message.by }];
    case "tool": {
      const { callId, text, outcome } = message;
      return setResult(items, { runId, callId, result: { text, outcome } });
    }
    case "assistant": {
      const said: ChatItem[] = message.text === "" ? [] : [{ kind: "said", key, runId, text: message.text }];
      const calls = message.calls.map(({ callId, tool, input }): ChatItem => {
        return { kind: "call", key: `${key}-${callId}`, runId, callId, tool, input };
      });
      const words = message.problem
        ? endOf({ code: message.problem.code, message: message.problem.message })
        : endOf({ stop: message.stop });
      const end: ChatItem[] = words === undefined ? [] : [{ kind: "end", key: `${key}-end`, runId, ...words }];
      return [...items, ...said, ...calls, ...end];
    }
  }
}

/** Returns the items after an event. Unchanged items stay the same objects. */
export function addEvent(items: readonly ChatItem[], { event, data }: ChatEvent): readonly ChatItem[] {
  const { runId, seq } = data;
  const key = `e${seq}`;
  switch (event) {
    case "chat.user":
      return [...items, { kind: "user", key, runId, text: data.text, by: data.by }];
    case "chat.delta": {
      const last = items.at(-1);
      if (last?.kind !== "said" || last.runId !== runId)
        return [...items, { kind: "said", key, runId, text: data.text }];
      return [...items.slice(0, -1), { ...last, text: last.text + data.text }];
    }
    case "chat.tool_call":
      return [...items, { kind: "call", key, runId, callId: data.callId, tool: data.tool, input: data.input }];
    case "chat.proposed":
      return changeCall(items, data, (call) => ({ ...call, proposalId: data.proposalId }));
    case "chat.tool_result":
      return setResult(items, { runId, callId: data.callId, result: { text: data.text, outcome: data.outcome } });
    case "chat.final":
    case "chat.error": {
      const words = endOf(data);
      return words === undefined ? items : [...items, { kind: "end", key, runId, ...words }];
    }
  }
}

interface Of {
  readonly runId: string;
  readonly callId: string;
}

function setResult(
  items: readonly ChatItem[],
  { result, ...of }: Of & { readonly result: NonNullable<CallItem["result"]> },
): readonly ChatItem[] {
  return changeCall(items, of, (call) => ({ ...call, result }));
}

/** Searches from the end: a model may reuse an id in another run. */
function changeCall(
  items: readonly ChatItem[],
  { runId, callId }: Of,
  change: (call: CallItem) => CallItem,
): readonly ChatItem[] {
  const at = items.findLastIndex((item) => item.kind === "call" && item.runId === runId && item.callId === callId);
  const call = items[at];
  return call?.kind === "call" ? items.with(at, change(call)) : items;
}

type End =
  | { readonly stop: string; readonly usage?: ChatUsage | undefined }
  | { readonly code: string; readonly message: string };

/** How a run ended, unless the answer itself says so. */
function endOf(end: End): { readonly words: string; readonly isProblem: boolean } | undefined {
  if ("code" in end) return { words: `${end.message} (${end.code})`, isProblem: true };
  switch (end.stop) {
    case "aborted":
      return { words: "Stopped.", isProblem: false };
    case "length":
      return { words: "The model ran out of room here.", isProblem: false };
    case "filtered":
      return { words: "The model’s provider held the rest back.", isProblem: false };
    default:
      return undefined;
  }
}
