import { useEffect, useRef, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import type { InboxRow } from "./list-rows.ts";

/** Cards that arrive this soon after the first connection aren't new. */
const SETTLING_MS = 1_000;

export interface NewBelow {
  readonly count: number;
  /** The index of the first one. */
  first(): number;
  /** Called with the range of visible rows, half open. */
  seen(first: number, last: number): void;
}

/**
 * Counts cards that arrived while the page was open and haven't been on screen. They are appended so that no row moves, and this count
 * announces them.
 */
export function useNewBelow(rows: readonly InboxRow[]): NewBelow {
  const hub = useHub();
  const known = useRef(new Set<string>());
  const unseen = useRef(new Set<string>());
  const seenTo = useRef(0);
  const liveAt = useRef(Number.POSITIVE_INFINITY);
  const [count, setCount] = useState(0);
  const isLive = hub.state.value === "live";
  useEffect(() => {
    if (isLive) liveAt.current = Math.min(liveAt.current, performance.now());
  }, [isLive]);
  const look = () => {
    for (const { id } of rows.slice(0, seenTo.current)) unseen.current.delete(id);
    setCount(unseen.current.size);
  };
  useEffect(() => {
    const isNews = performance.now() - liveAt.current > SETTLING_MS;
    const now = new Set(rows.filter(({ kind }) => kind === "card").map(({ id }) => id));
    if (isNews) for (const id of now) if (!known.current.has(id)) unseen.current.add(id);
    for (const id of unseen.current) if (!now.has(id)) unseen.current.delete(id);
    known.current = now;
    look();
  }, [rows]);
  return {
    count,
    first: () => rows.findIndex(({ id }) => unseen.current.has(id)),
    seen: (_first, last) => {
      seenTo.current = last;
      look();
    },
  };
}
