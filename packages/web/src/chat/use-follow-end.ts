import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** How near its end counts as being there. */
const NEAR_PX = 24;

/** Keeps the end of what grows in sight, unless somebody scrolled up. `grown` is whatever changes when it has. */
export function useFollowEnd(box: RefObject<HTMLElement | null>, grown: unknown): void {
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const toEnd = () => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    };
    const look = () => {
      follows.current = element.scrollTop + element.clientHeight >= element.scrollHeight - NEAR_PX;
    };
    // What is inside may grow by itself: output that comes, a card that opens.
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);
  useLayoutEffect(() => {
    if (follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [grown]);
}
