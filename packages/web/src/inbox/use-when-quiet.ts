import { effect, untracked } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { nowMs } from "../ui/index.ts";

/** Runs it once a second, but never while the pointer or the focus is in the list: no row moves under a finger. */
export function useWhenQuiet(list: RefObject<HTMLElement | null>, run: (atMs: number) => void): void {
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
