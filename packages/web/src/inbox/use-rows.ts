import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { type InboxRow, keepPlaces, listRows, withoutGone } from "./list-rows.ts";
import { useWhenQuiet } from "./use-when-quiet.ts";

const NONE: readonly ExecApprovalRequestPayload[] = [];

/** The rows of the list. None moves while it is there, save that those below one which is put away close up when nobody touches the list. */
export function useRows(
  list: RefObject<HTMLElement | null>,
  expired: readonly ExecApprovalRequestPayload[],
): readonly InboxRow[] {
  const ids = useHub().approvals.ids.value;
  const isListed = useListed();
  const listed = useMemo(() => listRows(ids, isListed ? expired : NONE), [ids, expired, isListed]);
  const shown = useRef<readonly InboxRow[]>([]);
  const [round, setRound] = useState(0);
  const rows = useMemo(() => keepPlaces(shown.current, listed), [listed, round]);
  shown.current = rows;
  useWhenQuiet(list, () => {
    const left = withoutGone(shown.current, listed);
    if (left === shown.current) return;
    shown.current = left;
    setRound((known) => known + 1);
  });
  return rows;
}

/** A card that is too large for the wire never comes: it isn't waited for. */
const LONGEST_MS = 1_000;

/** Whether everything that waited before this page is here. What expired comes after that, and not in between. */
function useListed(): boolean {
  const hub = useHub();
  const [isListed, setListed] = useState(false);
  const pending = hub.hubState.value?.pending;
  const isThere = pending !== undefined && hub.approvals.waiting.value >= pending;
  const isLive = hub.state.value === "live";
  useEffect(() => {
    if (isThere) setListed(true);
    if (isThere || !isLive) return;
    const timer = setTimeout(() => setListed(true), LONGEST_MS);
    return () => clearTimeout(timer);
  }, [isThere, isLive]);
  return isListed;
}
