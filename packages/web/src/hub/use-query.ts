import { GatewayError } from "@countersign/sdk";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { Coalesced } from "./coalesce.ts";
import { useHub } from "./use-hub.ts";

export interface Query<T> {
  /** The newest answer; it stays while the next one is on its way, also where that is to another question. */
  readonly answer: T | undefined;
  /** Why there's no newer one. */
  readonly problem: string | undefined;
  /** Nothing has been said yet to the question as it stands: `answer` and `problem` are of another. */
  readonly isLooking: boolean;
  /** Looks once more, after something that was changed here. */
  again(): Promise<void>;
}

interface When {
  /** Typing goes before asking. */
  readonly pauseMs?: number;
  /** The hub's messages after which the answer may be another one. */
  readonly news?: ReadonlySet<string>;
  /** Nobody tells of changes: it is looked up again whenever somebody comes back to the page. */
  readonly whenSeen?: boolean;
}

interface Settled<T> {
  readonly about: string;
  readonly answer: T | undefined;
  readonly problem: string | undefined;
}

/** A burst of news is one question. */
const BETWEEN_NEWS_MS = 500;

/**
 * The one way to look something up: when the question changes, whenever the connection is back, and on news. One question at a time; what
 * isn't wanted any more is called off, and nothing is asked where nobody looks. `about` is what the question depends on; undefined asks nothing.
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
  // Without a connection it is asked when that is back.
  const again = useCallback(async () => await rounds.current?.want(), []);
  if (about === undefined) return { answer: undefined, problem: undefined, isLooking: false, again };
  return { answer: settled?.answer, problem: settled?.problem, isLooking: settled?.about !== about, again };
}

/** What the person is told when something they asked for failed. Anything but the hub's refusals is a bug, and thrown. */
export function describeProblem(cause: unknown): string {
  if (cause instanceof GatewayError || cause instanceof ApiError) return cause.message;
  throw cause;
}
