import type { Clock } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import {
  type HistoryPageView,
  historyParamsSchema,
  type SuggestionView,
  searchWords,
  suggestionsParamsSchema,
  type Today,
  todayParamsSchema,
} from "@countersign/protocol/policy";
import { type ActivityGroup, type HistoryRow, type Store, StoreError } from "@countersign/store";
import { Suggestions } from "./suggestions.ts";

interface HistoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly home: Home;
}

/** Answers questions about the past. */
export class History {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #suggestions: Suggestions;

  constructor({ store, clock, home }: HistoryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#suggestions = new Suggestions({ store, clock, home });
  }

  /** Searches what ran, was denied, expired or was cancelled. `gone` aborts when nobody waits for the answer. */
  async search(raw: unknown, gone?: AbortSignal): Promise<HistoryPageView> {
    const { text, agent, session, risk, result, ...wish } = readOrRefuse(historyParamsSchema, raw);
    const page = await this.#store
      .history(
        {
          ...wish,
          words: text === undefined ? undefined : searchWords(text),
          agents: agent === undefined ? undefined : [agent],
          sessions: session === undefined ? undefined : [session],
          risks: risk,
          results: result,
        },
        gone,
      )
      .catch((cause) => refuse(cause, gone));
    return { ...page, rows: page.rows.map(viewRow) };
  }

  async today(raw: unknown, gone?: AbortSignal): Promise<Today> {
    const { fromMs = new Date(this.#clock.wallMs()).setHours(0, 0, 0, 0) } = readOrRefuse(todayParamsSchema, raw);
    const { groups, ...rest } = await this.#store.activity(fromMs, gone).catch((cause) => refuse(cause, gone));
    return { ...rest, fromMs, totals: totalsOf(groups), groups: groups.map(viewGroup) };
  }

  /** Suggestions for every profile. */
  async suggestions(raw: unknown): Promise<{ readonly suggestions: readonly SuggestionView[] }> {
    const { days } = readOrRefuse(suggestionsParamsSchema, raw);
    return { suggestions: await this.#suggestions.of(days) };
  }

  close(): Promise<void> {
    return this.#suggestions.close();
  }
}

function viewRow({ sessionId, createdAtMs, ...row }: HistoryRow): HistoryPageView["rows"][number] {
  return { ...row, session: sessionId, proposedAtMs: createdAtMs };
}

function viewGroup({ hosts, outside, ...group }: ActivityGroup): Today["groups"][number] {
  return {
    ...group,
    hosts: { ...hosts, names: [...hosts.names] },
    outside: { ...outside, names: [...outside.names] },
  };
}

function totalsOf(groups: readonly ActivityGroup[]): Today["totals"] {
  const totals = { ran: 0, failed: 0, asked: 0, denied: 0, expired: 0, cancelled: 0, waitedMs: 0 };
  for (const group of groups) {
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += group[name];
  }
  return totals;
}

/** Converts an abort or a full queue to an answer that isn't an internal error. */
function refuse(cause: unknown, gone: AbortSignal | undefined): never {
  if (gone?.aborted) throw new HubError("INTERNAL", "Nobody waits for this answer any more", { cause });
  if (cause instanceof StoreError && cause.code === "BUSY") {
    throw new HubError("LIMIT", `${cause.message} (limit: historyQuestions)`, { cause });
  }
  throw cause;
}
