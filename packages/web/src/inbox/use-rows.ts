import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { effect, untracked } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { nowMs } from "../ui/index.ts";
import { type InboxRow, keepPlaces, listRows, withoutGone } from "./list-rows.ts";

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

/** Long enough to be read. */
const STAYS_MS = 4_000;

/** Puts away what was settled a while ago, so that the list is what waits. What is open stays. */
export function useTidy(list: RefObject<HTMLElement | null>, open: string | undefined): void {
  const { approvals } = useHub();
  useWhenQuiet(list, (atMs) => {
    const over = approvals.ids.peek().filter((id) => {
      const end = approvals.get(id)?.peek().end;
      return id !== open && end !== undefined && end.atMs < atMs - STAYS_MS;
    });
    if (over.length > 0) approvals.dismiss(over);
  });
}

/** Runs it once a second, but never while the pointer or the focus is in the list: no row moves under a finger. */
function useWhenQuiet(list: RefObject<HTMLElement | null>, run: (atMs: number) => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const isTouched = fingersOn(element);
    return effect(() => {
      const atMs = nowMs.value;
      if (isPointedAt(element) || isTouched() || element.contains(document.activeElement)) return;
      untracked(() => latest.current(atMs));
    });
  }, []);
}

/** Asked of the browser, which also knows of a pointer that was there before the list. A finger leaves `:hover` behind where it was. */
function isPointedAt(element: HTMLElement): boolean {
  return matchMedia("(hover: hover)").matches && element.matches(":hover");
}

/** Also while it scrolls, when its pointer is said to be gone. */
function fingersOn(element: HTMLElement): () => boolean {
  let count = 0;
  for (const change of ["touchstart", "touchend", "touchcancel"] as const) {
    element.addEventListener(
      change,
      ({ touches }) => {
        count = touches.length;
      },
      { passive: true },
    );
  }
  return () => count > 0;
}
