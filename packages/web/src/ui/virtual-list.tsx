import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./virtual-list.css";

/** A row to scroll to. A new object each time, so that the same row can be requested again. */
export interface Target {
  readonly index: number;
  /** Scrolls it to the top; otherwise it scrolls no further than necessary. */
  readonly isFirst?: boolean;
}

interface Props<T> {
  items: readonly T[];
  keyOf(item: T): string;
  /** The height of every row: positions are computed, not measured. */
  rowPx: number;
  render(item: T, index: number): ComponentChildren;
  label: string;
  /** Called when the last row is on screen, to load more. */
  onEnd?(): void;
  /** Called with the range of visible rows, half open, when it changes. */
  onSeen?(first: number, last: number): void;
  target?: Target | undefined;
}

/** Rows drawn above and below the visible ones. */
const SPARE_ROWS = 6;

/** A list of any length whose DOM holds only the visible rows. It scrolls by itself; its parent sets its height. */
export function VirtualList<T>({ items, keyOf, rowPx, render, label, onEnd, onSeen, target }: Props<T>): VNode {
  const box = useRef<HTMLDivElement>(null);
  /** The visible rows. Scrolling within a row redraws nothing. */
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
