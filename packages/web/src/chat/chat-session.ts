import {
  type ChatEvent,
  type ChatResumed,
  chatEventSchema,
  chatHistorySchema,
  chatResumedSchema,
  chatSentSchema,
} from "@countersign/protocol/hub";
import { batch, effect, type ReadonlySignal, signal } from "@preact/signals";
import * as z from "zod";
import { type RpcClient, RpcError, type RpcEvent } from "../hub/index.ts";
import { addEvent, type ChatItem, itemsOf } from "./transcript.ts";

/** The most recent events requested, to have a run from its beginning. */
const RECENT_EVENTS = 4_000;
/** Messages on one page of history. */
const HISTORY_PAGE = 100;
/** Items shown at once. Older ones are in the transcript. */
const MOST_ITEMS = 1_000;

const abortedSchema = z.object({ aborted: z.boolean() });

type Rpc = Pick<RpcClient, "state" | "onEvent" | "call">;

/**
 * The open session. Recovers missed events after a lost connection; if too many were missed, it reads the history again. The transcript has
 * everything, so the worst case is a moment without the beginning of an answer.
 */
export class ChatSession {
  readonly sessionKey: string;
  readonly #rpc: Rpc;
  readonly #items = signal<readonly ChatItem[] | undefined>(undefined);
  readonly #runId = signal<string | undefined>(undefined);
  readonly #problem = signal<string | undefined>(undefined);
  /** The cursor of the history before the first item. */
  readonly #earlier = signal<number | undefined>(undefined);
  readonly #stops: (() => void)[];
  #stream: string | undefined;
  #seq = 0;
  /** Events that arrived while the beginning was being read. */
  #early: ChatEvent[] | undefined = [];
  /** The run whose beginning is missing. When it ends, the transcript has all of it. */
  #partial: string | undefined;
  #unshown: ChatEvent[] = [];

  constructor(rpc: Rpc, sessionKey: string) {
    this.#rpc = rpc;
    this.sessionKey = sessionKey;
    this.#stops = [
      rpc.onEvent((event) => this.#hear(event)),
      effect(() => {
        if (rpc.state.value === "live") this.#attempt(() => this.#resume());
      }),
    ];
  }

  /** Undefined until they are read. */
  get items(): ReadonlySignal<readonly ChatItem[] | undefined> {
    return this.#items;
  }

  /** The current run; undefined: the agent waits for a message. */
  get runId(): ReadonlySignal<string | undefined> {
    return this.#runId;
  }

  get problem(): ReadonlySignal<string | undefined> {
    return this.#problem;
  }

  /** Whether there are older items, and room for them. */
  get hasEarlier(): boolean {
    return this.#earlier.value !== undefined && (this.#items.value?.length ?? 0) < MOST_ITEMS;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  async send(message: string): Promise<void> {
    const { runId } = await this.#rpc.call("chat.send", { sessionKey: this.sessionKey, message }, chatSentSchema);
    // Its events may have arrived before this answer, its end too.
    if (!this.#items.value?.some((item) => item.runId === runId)) this.#runId.value = runId;
  }

  async abort(): Promise<void> {
    await this.#rpc.call("chat.abort", { sessionKey: this.sessionKey }, abortedSchema);
  }

  async readEarlier(): Promise<void> {
    const before = this.#earlier.value;
    if (before === undefined) return;
    const { messages, next } = await this.#history({ before });
    batch(() => {
      this.#items.value = [...itemsOf(messages), ...(this.#items.value ?? [])];
      this.#earlier.value = next;
    });
  }

  #attempt(work: () => Promise<void>): void {
    work().catch((cause: unknown) => {
      if (!(cause instanceof RpcError)) throw cause;
      // Disconnected: the next connection retries.
      if (cause.code !== "DISCONNECTED") this.#problem.value = cause.message;
    });
  }

  async #resume(): Promise<void> {
    this.#early = [];
    const stream = this.#stream;
    const resumed = await this.#ask(stream === undefined ? {} : { stream, after: this.#seq });
    if (stream !== undefined && resumed.complete && resumed.stream === stream) {
      this.#show(resumed.events);
      this.#runId.value = resumed.runId;
    } else await this.#readAnew(resumed);
    const early = this.#early;
    this.#early = undefined;
    this.#show(early);
  }

  /** Reads the transcript, then replays the events of the current run and of runs since: the transcript may have only part of them. */
  async #readAnew({ stream, seq, runId }: ChatResumed): Promise<void> {
    const { messages, next } = await this.#history({});
    const isQuiet = runId === undefined && this.#early?.length === 0;
    const recent = isQuiet ? undefined : await this.#ask({ stream, after: Math.max(0, seq - RECENT_EVENTS) });
    const events = recent?.events ?? [];
    const now = recent === undefined ? runId : recent.runId;
    const touched = new Set([runId, now, ...events.filter(({ data }) => data.seq > seq).map(({ data }) => data.runId)]);
    const begun = events.filter(({ event, data }) => event === "chat.user" && touched.has(data.runId));
    const live = new Set(begun.map(({ data }) => data.runId));
    if (recent !== undefined && this.#hasMissedAnEnd({ seq, runId }, recent, live)) return this.#readAnew(recent);
    const settled = messages.filter((message) => message.role === "unreadable" || !live.has(message.runId));
    batch(() => {
      this.#problem.value = undefined;
      this.#items.value = events.filter(({ data }) => live.has(data.runId)).reduce(addEvent, itemsOf(settled));
      this.#earlier.value = next;
      this.#runId.value = now;
    });
    this.#stream = stream;
    this.#seq = recent?.seq ?? seq;
    this.#partial = now === undefined || live.has(now) ? undefined : now;
  }

  /** Whether a run ended after the transcript was read and some of its events are gone. Then only the transcript has its end. */
  #hasMissedAnEnd(
    before: Pick<ChatResumed, "seq" | "runId">,
    { seq, runId, events }: ChatResumed,
    live: ReadonlySet<string>,
  ): boolean {
    if (seq === before.seq || (runId !== undefined && runId === before.runId)) return false;
    const since = events.filter(({ data }) => data.seq > before.seq);
    const ended = [before.runId, ...since.map(({ data }) => data.runId)].filter((run) => run !== runId);
    return since[0]?.data.seq !== before.seq + 1 || ended.some((run) => run !== undefined && !live.has(run));
  }

  #history(page: { readonly before?: number }) {
    const params = { sessionKey: this.sessionKey, limit: HISTORY_PAGE, ...page };
    return this.#rpc.call("chat.history", params, chatHistorySchema);
  }

  #ask(since: { readonly stream?: string; readonly after?: number }): Promise<ChatResumed> {
    return this.#rpc.call("chat.resume", { sessionKey: this.sessionKey, ...since }, chatResumedSchema);
  }

  #hear({ event, data }: RpcEvent): void {
    if (!event.startsWith("chat.")) return;
    const parsed = chatEventSchema.safeParse({ event, data });
    if (!parsed.success || parsed.data.data.sessionKey !== this.sessionKey) return;
    if (this.#early) {
      this.#early.push(parsed.data);
      return;
    }
    // Draws once per frame, however fast the model streams.
    if (this.#unshown.push(parsed.data) > 1) return;
    requestAnimationFrame(() => this.#flush());
    if (document.hidden) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const events = this.#unshown;
    this.#unshown = [];
    this.#show(events);
  }

  /** Applies events in order, each once. */
  #show(events: readonly ChatEvent[]): void {
    let items = this.#items.value ?? [];
    let runId = this.#runId.value;
    let mustRead = false;
    for (const event of events) {
      if (event.data.seq <= this.#seq) continue;
      this.#seq = event.data.seq;
      items = addEvent(items, event);
      const isOver = event.event === "chat.final" || event.event === "chat.error";
      runId = isOver ? undefined : event.data.runId;
      mustRead ||= isOver && (event.data.runId === this.#partial || items.length > MOST_ITEMS);
    }
    // Drops the beginning of a very long run. When the run ends, the newest page of the transcript replaces it.
    if (items.length > 2 * MOST_ITEMS) items = items.slice(-MOST_ITEMS);
    batch(() => {
      this.#items.value = items;
      this.#runId.value = runId;
    });
    if (!mustRead) return;
    this.#stream = undefined;
    this.#attempt(() => this.#resume());
  }
}
