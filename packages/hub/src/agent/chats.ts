import type { Clock, Identity, Limits } from "@countersign/core/base";
import { ASSISTANT } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type {
  AgentView,
  ChatEvent,
  ChatHistory,
  ChatResumed,
  ChatView,
  chatAbortParamsSchema,
  chatHistoryParamsSchema,
  chatListParamsSchema,
  chatResumeParamsSchema,
  chatSendParamsSchema,
  createSessionParamsSchema,
} from "@countersign/protocol/hub";
import type { ChatRecord, SessionRecord, Store, UsedChat } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import type * as z from "zod";
import type { Hub } from "../hub/index.ts";
import { refuseOurs } from "../identity/index.ts";
import { Agents, viewOf } from "./agents.ts";
import { EventBudget } from "./channel.ts";
import { Conversation } from "./conversation.ts";
import type { Model } from "./models/index.ts";
import { readBody } from "./transcript.ts";

interface ChatsOptions {
  readonly hub: Hub;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Throws HubError if there is no such model. */
  readonly openModel: (name: string) => Promise<Model>;
}

/** The agents that the hub runs, and people's sessions with them. The API calls this; it knows no wire. */
export class Chats {
  readonly agents: Agents;
  readonly #hub: Hub;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #openModel: (name: string) => Promise<Model>;
  /** Conversations in use, and those used last. */
  readonly #conversations = new Map<string, Conversation>();
  readonly #budget: EventBudget;
  #closing = false;

  constructor({ hub, store, clock, limits, openModel }: ChatsOptions) {
    this.#hub = hub;
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#openModel = openModel;
    this.agents = new Agents(hub);
    this.#budget = new EventBudget(limits.chatEventBytesInAll);
  }

  list(): AgentView[] {
    return this.agents.list().map(viewOf);
  }

  /** Returns sessions, the last used first. An agent sees only its own. */
  async used(by: Identity, { limit }: z.infer<typeof chatListParamsSchema>): Promise<ChatView[]> {
    const own = by.role === "agent" ? { ownerId: by.id } : {};
    const found = await this.#store.chats({ ...own, limit });
    return await Promise.all(found.map((chat) => this.#viewOf(chat)));
  }

  async #viewOf({ sessionId, agent, createdAtMs, lastAtMs }: UsedChat): Promise<ChatView> {
    const [first] = await this.#store.messages({ sessionId, before: 2, limit: 1 });
    const title = first && titleOf(readBody(first)?.text ?? "");
    const runId = this.#conversations.get(sessionId)?.runId;
    return {
      ...{ sessionKey: sessionId, agent, createdAtMs, lastAtMs },
      ...(title ? { title } : {}),
      ...(runId === undefined ? {} : { runId }),
    };
  }

  async create(by: Identity, { sessionKey, agent = ASSISTANT }: z.infer<typeof createSessionParamsSchema>) {
    const id = refuseOurs(sessionKey) ?? uuidv7();
    this.agents.get(agent);
    const chat = chatOf(id, agent, by);
    const session = { id, ownerId: by.id, agentName: chat.proposer, createdAtMs: this.#clock.wallMs() };
    const commit = await this.#store.commit([
      { op: "claim-session", session },
      { op: "open-chat", chat },
    ]);
    if (!commit.ok) throw new HubError("UNAUTHORIZED", "This session belongs to someone else");
    const kept = await this.#store.chat(id);
    if (kept?.agent !== agent) throw new HubError("CONFLICT", `In this session ${kept?.agent} answers already`);
    return { sessionKey: id };
  }

  /** Resolves once the message is durable. The answer comes as events. */
  async send(by: Identity, { sessionKey, message }: z.infer<typeof chatSendParamsSchema>): Promise<{ runId: string }> {
    const session = await this.#session(by, sessionKey);
    const known = await this.#store.chat(sessionKey);
    const chat = known ?? chatOf(sessionKey, ASSISTANT, this.#mustOwn(by, session));
    const agent = this.agents.get(chat.agent);
    if (this.#closing) throw new HubError("INTERNAL", "Countersign is shutting down");
    if (this.running >= this.#limits.chatRuns) {
      throw new HubError("LIMIT", `${this.running} agents run already (limit: chatRuns)`);
    }
    const proposer: Identity = {
      id: session.ownerId,
      role: "agent",
      name: chat.proposer,
      sameUser: false,
      // Nobody answers for an unattended caller, in another's session neither.
      unattended: chat.unattended || by.unattended,
    };
    return await this.#conversation(sessionKey).send({ text: message, by: by.name, agent, proposer, chat });
  }

  /** Stops the session's run if it is `runId`, or any if that is undefined. */
  async abort(
    by: Identity,
    { sessionKey, runId }: z.infer<typeof chatAbortParamsSchema>,
  ): Promise<{ aborted: boolean }> {
    await this.#session(by, sessionKey);
    return { aborted: this.#conversations.get(sessionKey)?.abort(runId) ?? false };
  }

  async history(
    by: Identity,
    { sessionKey, before, limit }: z.infer<typeof chatHistoryParamsSchema>,
    maxBytes: number,
  ): Promise<ChatHistory> {
    await this.#session(by, sessionKey);
    const conversation = this.#conversation(sessionKey);
    const { runId } = conversation;
    const page = await conversation.transcript.history({ before, limit }, maxBytes);
    return { ...page, ...(runId === undefined ? {} : { runId }) };
  }

  /** Returns the events after a number. Calls `listen` at that very point, so that no event falls between. */
  async resume(
    by: Identity,
    { sessionKey, stream, after }: z.infer<typeof chatResumeParamsSchema>,
    listen: () => void = () => undefined,
  ): Promise<ChatResumed> {
    await this.#session(by, sessionKey);
    listen();
    const { channel, runId } = this.#conversation(sessionKey);
    const { seq } = channel;
    const events = after === undefined || stream !== channel.stream ? undefined : channel.since(after);
    const now = { stream: channel.stream, seq, ...(runId === undefined ? {} : { runId }) };
    return { ...now, complete: events !== undefined, events: events ?? [] };
  }

  /** Returns a function that stops listening. The caller has checked that this identity may listen. */
  listen(sessionKey: string, listener: (event: ChatEvent) => void): () => void {
    return this.#conversation(sessionKey).channel.listen(listener);
  }

  /** How many agents run now. */
  get running(): number {
    let count = 0;
    for (const { runId } of this.#conversations.values()) if (runId !== undefined) count += 1;
    return count;
  }

  /** Stops the runs of a token's sessions after its revocation. */
  abortOwnedBy(ownerId: string): void {
    for (const conversation of this.#conversations.values()) {
      if (conversation.ownerId === ownerId) conversation.abort();
    }
  }

  /** Stops all runs and waits until that is recorded. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#conversations.values()].map((conversation) => conversation.close()));
  }

  async #session(by: Identity, id: string): Promise<SessionRecord> {
    const session = await this.#store.session(id);
    if (session && (by.role !== "agent" || session.ownerId === by.id)) return session;
    throw new HubError("NOT_FOUND", "There's no such session");
  }

  /** Only a session's owner can begin a conversation: its agent proposes in the owner's name. */
  #mustOwn(by: Identity, session: SessionRecord): Identity {
    if (session.ownerId === by.id) return by;
    throw new HubError("CONFLICT", "No agent answers in this session; whoever owns it can begin");
  }

  #conversation(sessionKey: string): Conversation {
    const found = this.#conversations.get(sessionKey) ?? this.#newConversation(sessionKey);
    // Keeps the map in the order of use.
    this.#conversations.delete(sessionKey);
    this.#conversations.set(sessionKey, found);
    if (this.#conversations.size > this.#limits.chatsKept) this.#forgetOldest();
    return found;
  }

  #newConversation(sessionKey: string): Conversation {
    const [hub, store, clock, limits] = [this.#hub, this.#store, this.#clock, this.#limits];
    return new Conversation(sessionKey, {
      hub,
      store,
      clock,
      limits,
      openModel: this.#openModel,
      budget: this.#budget,
    });
  }

  #forgetOldest(): void {
    for (const [key, { channel, runId }] of this.#conversations) {
      if (runId !== undefined || channel.hasListeners) continue;
      channel.forget();
      this.#conversations.delete(key);
      return;
    }
  }
}

/** Short enough for the longest list to fit a frame. */
const MAX_TITLE = 120;

function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).toWellFormed()}…`;
}

/**
 * An agent that a person talks to proposes under its own name and profile. If the caller is an agent, the proposals are
 * the caller's own, so that it gains no rights by asking another.
 */
function chatOf(sessionId: string, agent: string, by: Identity): ChatRecord {
  return { sessionId, agent, proposer: by.role === "agent" ? by.name : agent, unattended: by.unattended };
}
