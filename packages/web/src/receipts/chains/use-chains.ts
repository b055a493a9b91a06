import { type ChainView, listChainsResultSchema } from "@countersign/protocol/records";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, useHub } from "../../hub/index.ts";

export interface Chains {
  /** Undefined until known. */
  readonly chains: readonly ChainView[] | undefined;
  /** Receipts in the whole record. */
  readonly receipts: number | undefined;
  readonly problem: string | undefined;
  /** Loads older chains, if there are any. */
  more(): void;
}

const TYPING_MS = 150;
const PAGE = 100;

/** The chains of the record, newest first: all of them, or those that match a text. */
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
  // A page of a search may be empty and still have a next one.
  useEffect(() => {
    if (state.chains?.length === 0) more();
  }, [state.chains]);
  return { ...state, more };
}
