import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { effect, untracked } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { nowMs } from "../ui/index.ts";
import { type InboxRow, keepPlaces, listRows, withoutGone } from "./list-rows.ts";

const NONE: readonly ExecApprovalRequestPayload[] = [];

/** The rows of the list. A row never moves, except that gaps close while nobody touches the list. */
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

/** A card too large for the wire never arrives, so don't wait for it longer than this. */
const LONGEST_MS = 1_000;

/** Whether all cards that were pending before the page opened have arrived. Expired ones follow after them. */
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

/** Long enough to read how a card ended. */
const STAYS_MS = 4_000;

/** Dismisses cards that were settled a while ago. The open card stays. */
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

/** Calls `run` once a second, but never while the pointer or the focus is in the list, so that no row moves under a finger. */
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

/** Asks the browser, which also knows of a pointer that was there before the list. On touch screens `:hover` stays after the finger has left. */
function isPointedAt(element: HTMLElement): boolean {
  return matchMedia("(hover: hover)").matches && element.matches(":hover");
}

/** Covers scrolling too: the browser then reports the pointer as gone. */
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
