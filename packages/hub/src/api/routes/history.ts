import {
  historyPageSchema,
  historyParamsSchema,
  suggestionsParamsSchema,
  suggestionsSchema,
  todayParamsSchema,
  todaySchema,
} from "@countersign/protocol/policy";
import type { Hub } from "../../hub/index.ts";
import type { OperationName } from "../../identity/index.ts";
import type { Route } from "../http/index.ts";

/** Routes for searching the history. */
export function historyRoutes(hub: Hub) {
  return {
    searchHistory: {
      summary:
        "What ran, was denied, expired or was cancelled, newest first; `next` is the `before` of the page after it",
      query: historyParamsSchema,
      result: historyPageSchema,
      handle: async (c) => c.json(await hub.history.search(c.req.query(), c.req.raw.signal)),
    },
    today: {
      summary: "What each agent did in each repository since midnight, or since another time",
      query: todayParamsSchema,
      result: todaySchema,
      handle: async (c) => c.json(await hub.history.today(c.req.query(), c.req.raw.signal)),
    },
    suggest: {
      summary: "What people always allow and could save, and entries that nobody needs; nothing is changed",
      query: suggestionsParamsSchema,
      result: suggestionsSchema,
      handle: async (c) => c.json(await hub.history.suggestions(c.req.query())),
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}
