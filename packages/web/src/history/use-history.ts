import { type HistoryRowView, historyPageSchema } from "@countersign/protocol/policy";
import { HubStateAction } from "@countersign/protocol/proposals";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, useHub } from "../hub/index.ts";
import { type Filters, toQuery } from "./filters.ts";

const PAGE = 60;
/** Automatic paging stops after this many results. */
const ENOUGH = 40;
export const MAX_NEW = 200;

export interface HistoryList {
  /** Undefined until the first answer. */
  readonly rows: readonly HistoryRowView[] | undefined;
  readonly problem: string | undefined;
  readonly isLooking: boolean;
  /** How far back was searched, if there may be more. */
  readonly next: number | null;
  /** New results that match the filters, shown on request. */
  readonly fresh: readonly HistoryRowView[];
  more(): void;
  showFresh(): void;
}

interface Looked {
  readonly rows: readonly HistoryRowView[] | undefined;
  readonly next: number | null;
  readonly newest: number;
  readonly problem: string | undefined;
  readonly isLooking: boolean;
  readonly fresh: readonly HistoryRowView[];
}

const NOTHING: Looked = { rows: undefined, next: null, newest: 0, problem: undefined, isLooking: true, fresh: [] };

/** The results for these filters, page by page. The previous results stay until the first answer. */
export function useHistory(filters: Filters): HistoryList {
  const hub = useHub();
  const [looked, setLooked] = useState<Looked>(NOTHING);
  const about = JSON.stringify(filters);
  const gone = useRef(new AbortController());
  const latest = useRef(looked);
  latest.current = looked;

  const ask = (query: Record<string, string | number | undefined>, signal: AbortSignal) =>
    hub.api(historyPageSchema, "GET /api/v1/history", { query: { ...toQuery(filters, Date.now()), ...query }, signal });

  /** Loads pages until there is enough to show, the end is reached, or the filters change. */
  const look = async (before: number | undefined, found: readonly HistoryRowView[], signal: AbortSignal) => {
    setLooked((was) => ({ ...was, isLooking: true }));
    try {
      let rows = found;
      for (let from = before, wanted = found.length + ENOUGH; ; ) {
        const page = await ask({ limit: PAGE, before: from }, signal);
        rows = [...rows, ...page.rows];
        const isDone = page.next === null || rows.length >= wanted;
        setLooked((was) => ({
          ...was,
          ...(before === undefined ? { newest: page.newest, fresh: [] } : {}),
          ...{ rows, next: page.next, problem: undefined, isLooking: !isDone },
        }));
        if (isDone) return;
        from = page.next ?? undefined;
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof ApiError)) throw cause;
      setLooked((was) => ({ ...was, problem: cause.message, isLooking: false }));
    }
  };

  /** Refreshes one at a time, and once more if something ended during a refresh. */
  const isAsking = useRef(false);
  const isWanted = useRef(false);
  const lookForNew = async (signal: AbortSignal): Promise<void> => {
    const { newest, rows } = latest.current;
    if (document.hidden || rows === undefined || hub.state.value !== "live") return;
    if (isAsking.current) {
      isWanted.current = true;
      return;
    }
    isAsking.current = true;
    isWanted.current = false;
    try {
      const { rows: fresh } = await ask({ after: newest, limit: MAX_NEW }, signal);
      if (!signal.aborted) setLooked((was) => (was.newest === newest ? { ...was, fresh } : was));
    } catch (cause) {
      // The next refresh retries; a banner already says that the hub is away.
      if (!signal.aborted && !(cause instanceof ApiError)) throw cause;
    } finally {
      isAsking.current = false;
    }
    if (isWanted.current && !signal.aborted) await lookForNew(signal);
  };
  const isLive = hub.state.value === "live";

  useEffect(() => {
    const { signal } = gone.current;
    void look(undefined, [], signal);
    const soon = () => void lookForNew(signal);
    document.addEventListener("visibilitychange", soon);
    // The hub sends its status whenever something ends, including commands that the policy allowed.
    const unheard = hub.onMessage(({ action }) => {
      if (action === HubStateAction) soon();
    });
    return () => {
      gone.current.abort();
      gone.current = new AbortController();
      document.removeEventListener("visibilitychange", soon);
      unheard();
    };
  }, [about, hub]);
  useEffect(() => {
    const { rows, problem } = latest.current;
    if (!isLive) return;
    // After an outage, retries what failed and adds to what is shown.
    if (rows === undefined || problem !== undefined) void look(undefined, [], gone.current.signal);
    else void lookForNew(gone.current.signal);
  }, [isLive]);

  return {
    ...looked,
    more: () => {
      const { next, rows, isLooking, problem } = latest.current;
      if (next === null || isLooking || problem !== undefined) return;
      void look(next, rows ?? [], gone.current.signal);
    },
    showFresh: () => {
      const { fresh, rows, newest } = latest.current;
      // There may be more results between these and the shown ones.
      if (fresh.length >= MAX_NEW) return void look(undefined, [], gone.current.signal);
      setLooked((was) => ({ ...was, rows: [...fresh, ...(rows ?? [])], newest: fresh[0]?.place ?? newest, fresh: [] }));
    },
  };
}
