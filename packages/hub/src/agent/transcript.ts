import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecretsDeep } from "@countersign/core/redaction";
import {
  type ChatBody,
  type ChatEntry,
  type ChatHistory,
  chatBodySchema,
  type UnreadableEntry,
} from "@countersign/protocol/hub";
import type { Json } from "@countersign/receipts";
import type { MessageRecord, Store, Write } from "@countersign/store";
import type { PromptEntry } from "./models/index.ts";

const PAGE = 500;

/** A session's transcript in order, stored before anybody sees it. */
export class Transcript {
  readonly #sessionId: string;
  readonly #store: Store;
  readonly #clock: Clock;
  /** Number of the last entry. Undefined until it is first read. */
  #last: number | undefined;

  constructor(sessionId: string, { store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#sessionId = sessionId;
    this.#store = store;
    this.#clock = clock;
  }

  /** Appends an entry in one transaction with `writes`. A session has one run, and so one writer. */
  async append(runId: string, body: ChatBody, writes: readonly Write[] = []): Promise<void> {
    const sessionId = this.#sessionId;
    this.#last ??= (await this.#store.messages({ sessionId, limit: 1 }))[0]?.seq ?? 0;
    const seq = this.#last + 1;
    const kept = filterSecretsDeep(JSON.parse(JSON.stringify(body))) as Record<string, Json>;
    const message: MessageRecord = { sessionId, seq, runId, atMs: this.#clock.wallMs(), body: kept };
    const commit = await this.#store.commit([...writes, { op: "insert-message", message }]);
    if (!commit.ok) {
      this.#last = undefined;
      throw new HubError("CONFLICT", "Somebody else writes to this session");
    }
    this.#last = seq;
  }

  /** Returns the newest page, or the one before a number, as much of it as fits. */
  async history(page: { readonly before?: number | undefined; readonly limit: number }, maxBytes: number) {
    const { before, limit } = page;
    const at = { sessionId: this.#sessionId, limit, ...(before === undefined ? {} : { before }) };
    const newest = await this.#store.messages(at);
    const messages: ChatHistory["messages"] = [];
    let left = maxBytes;
    for (const record of newest) {
      const entry = fitted(toEntry(record), maxBytes);
      left -= sizeOf(entry);
      if (left < 0 && messages.length > 0) break;
      messages.unshift(entry);
    }
    const more = messages.length < newest.length || newest.length === limit;
    const first = messages[0]?.seq;
    return { messages, ...(more && first !== undefined && first > 1 ? { next: first } : {}) };
  }

  /** Returns the end of the transcript, as much of it as a model gets. */
  async prompt(maxBytes: number): Promise<PromptEntry[]> {
    const bodies: ChatBody[] = [];
    let left = maxBytes;
    for (let before: number | undefined; ; ) {
      const at = { sessionId: this.#sessionId, limit: PAGE, ...(before === undefined ? {} : { before }) };
      const page = await this.#store.messages(at);
      for (const record of page) {
        const body = readBody(record);
        if (!body) continue;
        left -= Buffer.byteLength(JSON.stringify(body));
        if (left < 0) return promptEntries(bodies);
        bodies.unshift(body);
      }
      if (page.length < PAGE) return promptEntries(bodies);
      before = page.at(-1)?.seq;
    }
  }
}

/** Cuts an entry that is too large for any page: otherwise no client could read past it. */
function fitted(entry: ChatEntry | UnreadableEntry, maxBytes: number): ChatEntry | UnreadableEntry {
  if (entry.role === "unreadable" || sizeOf(entry) <= maxBytes) return entry;
  // A character takes at most six bytes in JSON (\u0000).
  const text = `${entry.text.slice(0, maxBytes / 8).toWellFormed()}…`;
  if (entry.role !== "assistant") return { ...entry, text };
  const calls = entry.calls.map(({ callId, tool }) => ({ callId, tool, input: { omitted: "too large to show" } }));
  return { ...entry, text, calls };
}

function sizeOf(entry: ChatEntry | UnreadableEntry): number {
  return Buffer.byteLength(JSON.stringify(entry)) + 1;
}

function toEntry(record: MessageRecord): ChatEntry | UnreadableEntry {
  const { seq, runId, atMs } = record;
  const body = readBody(record);
  return body ? { ...body, seq, runId, atMs } : { role: "unreadable", seq };
}

const INTERRUPTED = "This was interrupted; whether it ran is on record, and not known here.";

/** Reads a stored entry. Undefined if the row is corrupt. */
export function readBody({ body }: Pick<MessageRecord, "body">): ChatBody | undefined {
  return chatBodySchema.safeParse(body).data;
}

/**
 * Converts a transcript to the form that models take: it begins with a person's message, and each call is followed by
 * its one result. Results that a crash or a corrupt row lost are said to be missing.
 */
function promptEntries(bodies: readonly ChatBody[]): PromptEntry[] {
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
