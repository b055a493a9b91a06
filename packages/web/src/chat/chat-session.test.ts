import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatEvent, ChatHistory, ChatResumed } from "@countersign/protocol/hub";
import { effect, signal } from "@preact/signals";
import type { RpcClient } from "../hub/index.ts";
import { ChatSession } from "./chat-session.ts";

type Message = ChatHistory["messages"][number];
type Rpc = ConstructorParameters<typeof ChatSession>[0];

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const final = (runId: string, seq: number): ChatEvent => ({
  event: "chat.final",
  data: { sessionKey: "s", runId, seq, usage, stop: "stop" },
});
const asked = (runId: string, seq: number): Message => ({
  role: "user",
  text: "hello",
  by: "ann",
  runId,
  seq,
  atMs: 1,
});
const said = (runId: string, seq: number, text: string): Message => ({
  role: "assistant",
  text,
  calls: [],
  stop: "stop",
  usage,
  runId,
  seq,
  atMs: 1,
});

/** A hub that answers each method with the next of the given results. */
function hubThatAnswers(answers: { readonly resume: ChatResumed[]; readonly history: ChatHistory[] }): Rpc {
  const call = (async (method: string) => {
    const next = method === "chat.resume" ? answers.resume.shift() : answers.history.shift();
    assert.ok(next, `${method} is asked once too often`);
    return next;
  }) as RpcClient["call"];
  return { state: signal("live" as const), onEvent: () => () => undefined, call };
}

/** The items that are shown after loading. */
async function textsOf(session: ChatSession): Promise<readonly string[]> {
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (session.items.value !== undefined)
        queueMicrotask(() => {
          stop();
          resolve();
        });
    });
  });
  session.close();
  return (session.items.value ?? []).flatMap((item) => ("text" in item ? [item.text] : []));
}

test("ChatSession reads again when a run ends while it reads the transcript", async () => {
  const resume = [
    { stream: "t", seq: 5, complete: true, events: [], runId: "r1" },
    { stream: "t", seq: 9, complete: false, events: [final("r1", 9)] },
  ];
  const history = [{ messages: [asked("r1", 1)] }, { messages: [asked("r1", 1), said("r1", 2, "made")] }];
  const session = new ChatSession(hubThatAnswers({ resume, history }), "s");
  assert.deepEqual(await textsOf(session), ["hello", "made"]);
});

test("ChatSession reads again when all events of a short run are lost", async () => {
  const resume = [
    { stream: "t", seq: 5, complete: true, events: [], runId: "r1" },
    { stream: "t", seq: 20, complete: false, events: [], runId: "r3" },
    { stream: "t", seq: 20, complete: false, events: [], runId: "r3" },
  ];
  const messages = [asked("r1", 1), said("r1", 2, "one"), asked("r2", 3), said("r2", 4, "two"), asked("r3", 5)];
  const history = [{ messages: messages.slice(0, 1) }, { messages }];
  const session = new ChatSession(hubThatAnswers({ resume, history }), "s");
  assert.deepEqual(await textsOf(session), ["hello", "one", "hello", "two", "hello"]);
});
