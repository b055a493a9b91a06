import { type ChainView, listChainsResultSchema } from "@countersign/protocol/records";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, useHub } from "../../hub/index.ts";

export interface Chains {
  /** Undefined: not known yet. */
  readonly chains: readonly ChainView[] | undefined;
  /** In the whole record. */
  readonly receipts: number | undefined;
  readonly problem: string | undefined;
  /** Fetches those that began before, if there are any. */
  more(): void;
}

const TYPING_MS = 150;
const PAGE = 100;

/** The chains of the record, those that began last first; of all or of those with a text. */
export function useChains(text: string): Chains {
  const hub = useHub();
  const [state, setState] = useState<Omit<Chains, "more">>({
    chains: undefined,
    receipts: undefined,
    problem: undefined,
  });
  const next = useRef<number | undefined>(undefined);
  const isFetching = useRef(false);
  const isLive = hub.state.value === "live";
  const fetchPage = async (before: number | undefined, signal: AbortSignal) => {
    isFetching.current = true;
    try {
      const query = { limit: PAGE, ...(text === "" ? {} : { text }), before };
      const page = await hub.api(listChainsResultSchema, "GET /api/v1/chains", { query, signal });
      if (signal.aborted) return;
      next.current = page.next;
      setState(({ chains }) => ({
        chains: before === undefined ? page.chains : [...(chains ?? []), ...page.chains],
        receipts: page.receipts,
        problem: undefined,
      }));
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof ApiError)) throw cause;
      setState((known) => ({ ...known, problem: cause.message }));
    } finally {
      if (!signal.aborted) isFetching.current = false;
    }
  };
  const gone = useRef(new AbortController());
  useEffect(() => {
    const left = new AbortController();
    gone.current = left;
    const timer = setTimeout(() => fetchPage(undefined, left.signal), text === "" ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text, isLive]);
  const more = () => {
    if (next.current !== undefined && !isFetching.current) fetchPage(next.current, gone.current.signal);
  };
  // A page that looked for a text may hold none, and have a next.
  useEffect(() => {
    if (state.chains?.length === 0) more();
  }, [state.chains]);
  return { ...state, more };
}
