import { GatewayError } from "@countersign/sdk";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { Coalesced } from "./coalesce.ts";
import { useHub } from "./use-hub.ts";

export interface Query<T> {
  /** The last answer. It stays while the next query runs, even if that asks something else. */
  readonly answer: T | undefined;
  /** Why the last query failed. */
  readonly problem: string | undefined;
  /** No answer to the current query yet: `answer` and `problem` belong to the previous one. */
  readonly isLooking: boolean;
  /** Queries again, after a change made here. */
  again(): Promise<void>;
}

interface When {
  /** Delay before a query, so that typing doesn't send one per key. */
  readonly pauseMs?: number;
  /** Messages of the hub after which the answer may differ. */
  readonly news?: ReadonlySet<string>;
  /** The hub sends no event for changes: query again whenever the page is shown. */
  readonly whenSeen?: boolean;
}

interface Settled<T> {
  readonly about: string;
  readonly answer: T | undefined;
  readonly problem: string | undefined;
}

/** Minimum time between two queries caused by messages. */
const BETWEEN_NEWS_MS = 500;

/**
 * Queries the hub when `about` changes, on every reconnection, and on `news`. One query runs at a time, outdated ones are aborted, and a
 * hidden page sends none. `about` is everything the query depends on; undefined sends none.
 */
export function useQuery<T>(
  about: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
  { pauseMs = 0, news, whenSeen = false }: When = {},
): Query<T> {
  const hub = useHub();
  const [settled, setSettled] = useState<Settled<T>>();
  const isLive = hub.state.value === "live";
  const rounds = useRef<Coalesced>(undefined);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (about === undefined || !isLive) return;
    const over = new AbortController();
    const { signal } = over;
    const looks = new Coalesced(async () => {
      try {
        const answer = await latest.current(signal);
        if (!signal.aborted) setSettled({ about, answer, problem: undefined });
      } catch (cause) {
        if (signal.aborted) return;
        const problem = describeProblem(cause);
        setSettled((was) => ({ about, answer: was?.about === about ? was.answer : undefined, problem }));
      }
    });
    rounds.current = looks;
    let due: ReturnType<typeof setTimeout> | undefined = setTimeout(look, pauseMs);
    let isMissed = false;
    let lookedAt = 0;
    function look() {
      due = undefined;
      isMissed = document.hidden;
      if (isMissed) return;
      lookedAt = performance.now();
      void looks.want();
    }
    const stopHearing = hub.onMessage(({ action }) => {
      if (news?.has(action)) due ??= setTimeout(look, Math.max(0, lookedAt + BETWEEN_NEWS_MS - performance.now()));
    });
    const seen = () => {
      if (!document.hidden && (isMissed || whenSeen)) look();
    };
    document.addEventListener("visibilitychange", seen, { signal });
    return () => {
      clearTimeout(due);
      stopHearing();
      over.abort();
      rounds.current = undefined;
    };
  }, [hub, about, isLive]);
  // Without a connection, the query runs when the hub is back.
  const again = useCallback(async () => await rounds.current?.want(), []);
  if (about === undefined) return { answer: undefined, problem: undefined, isLooking: false, again };
  return { answer: settled?.answer, problem: settled?.problem, isLooking: settled?.about !== about, again };
}

/** Returns the message for a request that the hub refused. Rethrows any other error: it is a bug. */
export function describeProblem(cause: unknown): string {
  if (cause instanceof GatewayError || cause instanceof ApiError) return cause.message;
  throw cause;
}
