import type { HistoryResult } from "@countersign/protocol/policy";
import { hrefOf } from "../navigation/index.ts";

/** The results that people filter by. Others are in the story. */
export const SHOWN = {
  all: { label: "All", results: undefined },
  ran: {
    label: "Ran",
    results: ["succeeded", "failed", "signalled", "timed-out", "aborted", "interrupted"],
  },
  failed: {
    label: "Failed",
    results: ["failed", "signalled", "timed-out", "aborted", "interrupted", "jail-refused", "not-started"],
  },
  denied: { label: "Denied", results: ["denied"] },
  unanswered: { label: "Unanswered", results: ["expired", "cancelled"] },
} as const satisfies Record<string, { label: string; results: readonly HistoryResult[] | undefined }>;
export type Shown = keyof typeof SHOWN;

/** The filters that an address can hold. */
const FILTERS = ["text", "show", "risk", "by", "since", "agent", "directory", "session", "fromMs"] as const;
type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Readonly<Record<FilterName, string>>>;

const DAY_MS = 86_400_000;

export function readFilters(query: URLSearchParams): Filters {
  const said = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(said);
}

/** The address with some filters changed; undefined removes one. */
export function hrefWith(
  place: { readonly view: string; readonly rest?: readonly string[] },
  filters: Filters,
  change: { readonly [Name in FilterName]?: string | undefined } = {},
): string {
  const said = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined && value !== "");
  return hrefOf(place.view, place.rest ?? [], Object.fromEntries(said) as Record<string, string>);
}

/** The query of `GET /api/v1/history`. */
export function toQuery({ show, since, fromMs, ...same }: Filters, nowMs: number): Record<string, string | undefined> {
  const { results } = SHOWN[(show ?? "all") as Shown] ?? SHOWN.all;
  const days = Number(since);
  const from = days > 0 ? `${nowMs - days * DAY_MS}` : fromMs;
  return { ...same, result: results?.join(","), fromMs: from };
}
