import { strict as assert } from "node:assert";
import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import type { ChatBody } from "@countersign/protocol/hub";
import type { ChatRecord, Store } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import type { Hub } from "../hub/index.ts";
import type { Agent } from "./agents.ts";
import type { EventBudget } from "./channel.ts";
import { Channel } from "./channel.ts";
import { hubTools } from "./facade/index.ts";
import { type Model, NO_USAGE } from "./models/index.ts";
import { type AgentRun, type RunEnd, runAgent } from "./run-agent.ts";
import { systemPrompt } from "./system-prompt.ts";
import { ApprovalManager, type ToolContext } from "./tools/index.ts";
import { Transcript } from "./transcript.ts";

interface Message {
  readonly text: string;
  readonly by: string;
  readonly agent: Agent;
  /** The identity in whose name its tools propose. */
  readonly proposer: Identity;
  readonly chat: ChatRecord;
}

interface LiveRun {
  readonly runId: string;
  readonly ownerId: string;
  readonly stop: AbortController;
  ended: Promise<void>;
}

interface ConversationOptions {
  readonly hub: Hub;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly openModel: (name: string) => Promise<Model>;
  /** Limits the memory for the events of all conversations. */
  readonly budget: EventBudget;
}

/** A session in use: its transcript, its events, and at most one run. */
export class Conversation {
  readonly channel: Channel;
  readonly transcript: Transcript;
  readonly #sessionKey: string;
  readonly #hub: Hub;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #openModel: (name: string) => Promise<Model>;
  #run: LiveRun | undefined;

  constructor(sessionKey: string, { hub, store, clock, limits, openModel, budget }: ConversationOptions) {
    this.#sessionKey = sessionKey;
    this.#hub = hub;
    this.#clock = clock;
    this.#limits = limits;
    this.#openModel = openModel;
    this.channel = new Channel(sessionKey, limits, budget);
    this.transcript = new Transcript(sessionKey, { store, clock });
  }

  get runId(): string | undefined {
    return this.#run?.runId;
  }

  /** Owner of the current run. */
  get ownerId(): string | undefined {
    return this.#run?.ownerId;
  }

  async send(message: Message): Promise<{ runId: string }> {
    if (this.#run) throw new HubError("CONFLICT", "The agent still answers in this session: wait, or chat.abort");
    const runId = uuidv7();
    const stop = new AbortController();
    const live: LiveRun = { runId, ownerId: message.proposer.id, stop, ended: Promise.resolve() };
    // Set before anything is awaited, so that one of two simultaneous messages wins.
    this.#run = live;
    try {
      const model = await this.#openModel(message.agent.model);
      const before = await this.transcript.prompt(this.#limits.promptBytes);
      const { text, by, chat } = message;
      await this.transcript.append(runId, { role: "user", text, by }, [{ op: "open-chat", chat }]);
      const entries: AgentRun["entries"] = [...before, { role: "user", text }];
      // Starts after the request has been answered.
      live.ended = new Promise((resolve) => {
        setImmediate(() => void this.#go(live, message, { model, entries }).finally(resolve));
      });
      return { runId };
    } catch (cause) {
      this.#run = undefined;
      throw cause;
    }
  }

  /** Returns whether that run was running. */
  abort(runId?: string): boolean {
    if (!this.#run || (runId !== undefined && this.#run.runId !== runId)) return false;
    this.#run.stop.abort();
    return true;
  }

  async close(): Promise<void> {
    this.abort();
    await this.#run?.ended;
  }

  /** Never rejects. Emits the end exactly once, after it is durable and the session is free again. */
  async #go(live: LiveRun, message: Message, begun: Pick<AgentRun, "model" | "entries">): Promise<void> {
    const { runId } = live;
    const write = (body: ChatBody) => this.transcript.append(runId, body);
    let end: RunEnd;
    try {
      end = await this.#runIt(live, message, { ...begun, write });
      await write(end);
    } catch (cause) {
      this.#hub.log.error({ session: this.#sessionKey, runId, err: cause }, "an agent's run failed");
      end = FAILED;
      // Tries to record the failure in the transcript too.
      await write(end).catch(() => undefined);
    }
    this.#run = undefined;
    const { usage, stop, problem } = end;
    if (problem) this.channel.emit({ event: "chat.error", data: { runId, usage, ...problem } });
    else this.channel.emit({ event: "chat.final", data: { runId, usage, stop } });
  }

  async #runIt(
    { runId, stop: { signal } }: LiveRun,
    { text, by, agent, proposer }: Message,
    begun: { readonly model: Model; readonly entries: AgentRun["entries"]; write(body: ChatBody): Promise<void> },
  ): Promise<RunEnd> {
    const hub = this.#hub;
    const { config } = hub;
    const all = hubTools(new ApprovalManager({ hub, agent: proposer }), config);
    const tools = new Map(all.filter(({ name }) => agent.tools.includes(name)).map((tool) => [tool.name, tool]));
    const [workspace] = hub.rootsOf(proposer);
    assert(workspace !== undefined);
    this.channel.emit({ event: "chat.user", data: { runId, text: filterSecrets(text), by } });
    const context = (callId: string): ToolContext => ({
      sessionKey: this.#sessionKey,
      runId,
      config,
      signal,
      // The hub itself notifies the approvers.
      sendEvent: () => undefined,
      onProposed: (proposalId) => {
        this.channel.emit({ event: "chat.proposed", data: { runId, callId, proposalId } });
      },
    });
    const run: AgentRun = {
      runId,
      ...begun,
      system: await systemPrompt(agent, workspace),
      tools,
      definitions: [...tools.values()].map((tool) => tool.toDefinition()),
      maxTurns: agent.maxTurns ?? this.#limits.chatTurns,
      signal,
      context,
      emit: (event) => this.channel.emit(event),
    };
    return await runAgent(run, this.#clock, this.#limits);
  }
}

const FAILED: RunEnd = {
  role: "assistant",
  text: "",
  calls: [],
  stop: "failed",
  usage: NO_USAGE,
  problem: { code: "INTERNAL", message: "Something failed in Countersign; its log says what." },
};
