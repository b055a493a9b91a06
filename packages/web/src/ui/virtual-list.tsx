import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./virtual-list.css";

/** A row to be brought on screen. Each time anew: whoever scrolled away and asks for the same row again goes there again. */
export interface Target {
  readonly index: number;
  /** As the first of those on screen; otherwise it scrolls no further than it must. */
  readonly isFirst?: boolean;
}

interface Props<T> {
  items: readonly T[];
  keyOf(item: T): string;
  /** Every row has this height: places are computed, not measured. */
  rowPx: number;
  render(item: T, index: number): ComponentChildren;
  label: string;
  /** The last row is on screen: more may be fetched. */
  onEnd?(): void;
  /** Which rows are on screen, half open; each time that changes. */
  onSeen?(first: number, last: number): void;
  target?: Target | undefined;
}

/** Beyond what is seen, above and below. */
const SPARE_ROWS = 6;

/** A list of any length whose DOM holds what is seen of it. It scrolls by itself; its parent gives it the height. */
export function VirtualList<T>({ items, keyOf, rowPx, render, label, onEnd, onSeen, target }: Props<T>): VNode {
  const box = useRef<HTMLDivElement>(null);
  /** The rows that are on screen. A scroll that changes nothing about them draws nothing. */
  const [view, setView] = useState({ first: 0, last: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const { scrollTop: top, clientHeight: height } = element;
      const [from, to] = [Math.floor(top / rowPx), Math.ceil((top + height) / rowPx)];
      setView((known) => (known.first === from && known.last === to ? known : { first: from, last: to }));
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || target === undefined || target.index < 0) return;
    const top = target.index * rowPx;
    if (target.isFirst || top < element.scrollTop) element.scrollTop = top;
    else if (top + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx - element.clientHeight;
  }, [target, rowPx]);
  const first = Math.max(0, view.first - SPARE_ROWS);
  const last = Math.min(items.length, view.last + SPARE_ROWS);
  const seesEnd = items.length > 0 && last >= items.length;
  useLayoutEffect(() => {
    if (seesEnd) onEnd?.();
  }, [seesEnd, items.length]);
  useLayoutEffect(() => onSeen?.(view.first, Math.min(items.length, view.last)), [view, items.length]);
  return (
    <div class="virtual-list" ref={box}>
      <ul aria-label={label} style={{ height: `${items.length * rowPx}px` }}>
        {items.slice(first, last).map((item, n) => (
          <li
            key={keyOf(item)}
            style={{ top: `${(first + n) * rowPx}px`, height: `${rowPx}px` }}
            aria-setsize={items.length}
            aria-posinset={first + n + 1}
          >
            {render(item, first + n)}
          </li>
        ))}
      </ul>
    </div>
  );
}
