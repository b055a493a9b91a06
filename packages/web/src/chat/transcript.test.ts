import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatEvent, ChatHistory } from "@countersign/protocol/hub";
import { addEvent, type ChatItem, itemsOf } from "./transcript.ts";

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
let seq = 0;
function event<E extends ChatEvent["event"]>(name: E, data: object): ChatEvent {
  seq += 1;
  return { event: name, data: { sessionKey: "s", runId: "r1", seq, ...data } } as ChatEvent;
}
/** Without the fields that differ between live events and the transcript. */
const shapes = (items: readonly ChatItem[]) => {
  return items.map((item) => JSON.parse(JSON.stringify({ ...item, key: undefined, proposalId: undefined })));
};

const COMMAND = { callId: "c1", tool: "bash", input: { command: "ls" } };
const OUTCOME = { kind: "exited", exitCode: 0 } as const;

test("addEvent builds the same items as the transcript", () => {
  const events = [
    event("chat.user", { text: "list", by: "alice" }),
    event("chat.delta", { text: "I " }),
    event("chat.delta", { text: "look." }),
    event("chat.tool_call", COMMAND),
    event("chat.proposed", { callId: "c1", proposalId: "p1" }),
    event("chat.tool_result", { callId: "c1", tool: "bash", text: "a b", outcome: OUTCOME }),
    event("chat.delta", { text: "Two files." }),
    event("chat.final", { usage, stop: "stop" }),
  ];
  const at = (number: number) => ({ seq: number, runId: "r1", atMs: 1 });
  const messages: ChatHistory["messages"] = [
    { role: "user", text: "list", by: "alice", ...at(1) },
    { role: "assistant", text: "I look.", calls: [COMMAND], stop: "calls", ...at(2) },
    { role: "tool", callId: "c1", tool: "bash", text: "a b", outcome: OUTCOME, ...at(3) },
    { role: "assistant", text: "Two files.", calls: [], stop: "stop", usage, ...at(4) },
  ];
  assert.deepEqual(shapes(events.reduce(addEvent, [])), shapes(itemsOf(messages)));
});

test("addEvent states how a run ended unless the answer does", () => {
  const ends = [
    event("chat.final", { usage, stop: "aborted" }),
    event("chat.final", { usage, stop: "length" }),
    event("chat.error", { usage, code: "MODEL_REFUSED", message: "No such model." }),
  ];
  assert.deepEqual(
    ends.reduce(addEvent, []).map((item) => item.kind === "end" && item.words),
    ["Stopped.", "The model ran out of room here.", "No such model. (MODEL_REFUSED)"],
  );
  assert.equal(itemsOf([{ role: "unreadable", seq: 1 }])[0]?.kind, "unreadable");
});

test("addEvent keeps unchanged items and ignores the result of an unknown call", () => {
  const before = [event("chat.user", { text: "hi", by: "a" }), event("chat.delta", { text: "x" })].reduce(addEvent, []);
  const after = addEvent(before, event("chat.delta", { text: "y" }));
  assert.equal(after[0], before[0]);
  assert.deepEqual(shapes(after)[1]?.text, "xy");
  assert.equal(addEvent(after, event("chat.tool_result", { callId: "no", tool: "bash", text: "" })), after);
});

test("addEvent starts a new item for another run", () => {
  const items = [event("chat.delta", { text: "x" }), { ...event("chat.delta", { text: "y", runId: "r2" }) }].reduce(
    addEvent,
    [],
  );
  assert.equal(items.length, 2);
});
