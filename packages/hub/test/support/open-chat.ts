import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { DEFAULT_LIMITS, type Identity, type Limits, silentLog } from "@countersign/core/base";
import type { ChatEvent, ChatUsage } from "@countersign/protocol/hub";
import { Chats } from "../../src/agent/chats.ts";
import { demoModel } from "../../src/agent/models/demo-model.ts";
import type { Model, ModelPart, ModelRequest } from "../../src/agent/models/model.ts";
import { ALICE, openHub, type TestHub, type TestHubOptions } from "./open-hub.ts";

const USAGE: ChatUsage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };

/** A turn that a model takes: what it says, or what it does with what it was asked. */
type Script = readonly ModelPart[] | ((request: ModelRequest) => AsyncIterable<ModelPart>);

export const say = (text: string): ModelPart => ({ kind: "text", text });
export const end: ModelPart = { kind: "end", stop: "stop", usage: USAGE };
export const bash = (command: string, callId = "c1"): ModelPart => ({
  kind: "call",
  call: { callId, tool: "bash", input: JSON.stringify({ command }) },
});

/** A model that takes one scripted turn after the other, and keeps what it was asked. */
export class ScriptedModel implements Model {
  readonly asked: ModelRequest[] = [];
  readonly #turns: Script[];

  constructor(...turns: Script[]) {
    this.#turns = turns;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    this.asked.push({ ...request, entries: [...request.entries] });
    const script = this.#turns.shift() ?? [say("I have no more to say."), end];
    if (typeof script === "function") return yield* script(request);
    for (const part of script) {
      yield part;
      await turn();
    }
  }
}

export interface TestChat extends TestHub {
  readonly chats: Chats;
  readonly events: ChatEvent[];
  create(agent?: string, by?: Identity): Promise<string>;
  /** Sends, and waits for the end of the run. */
  talk(sessionKey: string, message: string): Promise<ChatEvent>;
  send(sessionKey: string, message: string, by?: Identity): Promise<string>;
  ended(runId: string): Promise<ChatEvent>;
}

/** A hub with its agents, without a wire. The model is scripted, or the demo's. */
export async function openChat(
  t: TestContext,
  { model = demoModel, limits, ...options }: TestHubOptions & { model?: Model; limits?: Partial<Limits> } = {},
): Promise<TestChat> {
  const test = await openHub(t, options);
  const rooms = { hub: test.hub, store: test.store, clock: test.clock, log: silentLog };
  const chats = new Chats({ ...rooms, limits: { ...DEFAULT_LIMITS, ...limits }, openModel: async () => model });
  t.after(() => chats.close());
  const events: ChatEvent[] = [];
  const heard = new Set<string>();
  let wake = () => undefined as undefined;
  const isEnd = ({ event }: ChatEvent) => event === "chat.final" || event === "chat.error";
  const ended = async (runId: string) => {
    for (;;) {
      const found = events.find((event) => event.data.runId === runId && isEnd(event));
      if (found) return found;
      await new Promise<void>((resolve) => {
        wake = () => resolve() as undefined;
      });
    }
  };
  const send = async (sessionKey: string, message: string, by = ALICE) => {
    const { runId } = await chats.send(by, { sessionKey, message });
    if (!heard.has(sessionKey)) {
      heard.add(sessionKey);
      chats.listen(sessionKey, (event) => {
        events.push(event);
        wake();
      });
    }
    return runId;
  };
  return Object.assign(test, {
    chats,
    events,
    create: async (agent?: string, by = ALICE) =>
      (await chats.create(by, agent === undefined ? {} : { agent })).sessionKey,
    talk: async (sessionKey: string, message: string) => await ended(await send(sessionKey, message)),
    send,
    ended,
  });
}
