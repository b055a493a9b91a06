import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { AnsiSpans, Button } from "../ui/index.ts";
import type { OutputFeed } from "./output-feed.ts";
import type { OutputLine } from "./output-log.ts";
import { partOf, wrapRows } from "./wrap-rows.ts";
import "./output-view.css";

/** As in the style sheet: positions are computed, not measured. */
const ROW_PX = 18;
/** Rows drawn above and below the visible ones. */
const SPARE_ROWS = 20;
/** The padding next to the text of a row. */
const BESIDE_PX = 40;
const NARROWEST = 20;

interface View {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  /** Whether to follow the newest line. */
  readonly follows: boolean;
}

/**
 * Shows the output of a run; the DOM holds only the visible rows. Follows the end unless the person scrolled up. Then the visible lines stay
 * in place, even when older ones are dropped.
 */
export function OutputView({ feed, wraps }: { feed: OutputFeed; wraps: boolean }): VNode {
  const box = useRef<HTMLElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const [view, setView] = useState<View>({ top: 0, height: 0, width: 0, follows: true });
  const { log } = feed;
  const version = feed.version.value;
  const columns = wraps ? columnsIn(view.width, ruler.current) : undefined;
  const rows = wrapRows(log.count, (line) => lengthOf(log.line(line)), columns);
  useLook(box, setView);
  useStaying(box, { version, follows: view.follows, dropped: log.dropped, columns, rowOf: rows.rowOf });
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(rows.total, Math.ceil((view.top + view.height) / ROW_PX) + SPARE_ROWS);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, n) => rows.at(first + n));
  return (
    <div class="output">
      {log.dropped > 0 && (
        <p class="output-dropped">{log.dropped.toLocaleString("en")} earlier lines aren’t kept here.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="output-box" ref={box} tabIndex={0} aria-label="Output">
        <span class="output-ruler" ref={ruler} aria-hidden="true">
          {"0".repeat(100)}
        </span>
        <div class="output-all" style={{ height: `${rows.total * ROW_PX}px` }}>
          <div class="output-rows" style={{ top: `${first * ROW_PX}px` }}>
            {shown.map(({ line, part }) => (
              <Row key={`${log.dropped + line}.${part}`} line={log.line(line)} part={part} columns={columns} />
            ))}
          </div>
        </div>
      </section>
      {!view.follows && (
        <div class="output-jump">
          <Button
            onClick={() => {
              box.current?.focus();
              setView({ ...view, follows: true });
            }}
          >
            ↓ Follow the end
          </Button>
        </div>
      )}
    </div>
  );
}

/** The visible part. A box that is resized at its end stays at the end. */
function useLook(box: { current: HTMLElement | null }, setView: (change: (before: View) => View) => void): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const { scrollTop: top, clientHeight: height, clientWidth: width, scrollHeight } = element;
      setView(() => ({ top, height, width, follows: top + height >= scrollHeight - ROW_PX }));
    };
    look();
    const sizes = new ResizeObserver(() => {
      setView((before) => {
        if (before.follows) element.scrollTop = element.scrollHeight;
        const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
        return { ...before, top, height, width };
      });
    });
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
}

interface Place {
  readonly version: number;
  readonly follows: boolean;
  readonly dropped: number;
  readonly columns: number | undefined;
  rowOf(line: number): number;
}

/** Keeps the end in view, or the lines that the person looks at. */
function useStaying(box: { current: HTMLElement | null }, place: Place): void {
  const before = useRef(place);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const gone = place.dropped - before.current.dropped;
    // In rows of the previous layout: the dropped ones were above.
    if (place.follows) element.scrollTop = element.scrollHeight;
    else if (gone > 0) element.scrollTop -= before.current.rowOf(gone) * ROW_PX;
    before.current = place;
  }, [place.version, place.follows, place.columns]);
}

/** Measures a hundred zeros for the width of a character. */
function columnsIn(widthPx: number, ruler: HTMLElement | null): number | undefined {
  const columnPx = (ruler?.scrollWidth ?? 0) / 100;
  if (columnPx === 0 || widthPx === 0) return undefined;
  return Math.max(NARROWEST, Math.floor((widthPx - BESIDE_PX) / columnPx));
}

function lengthOf(line: OutputLine | undefined): number {
  return line?.kind === "text" ? line.columns : 1;
}

function Row({
  line,
  part,
  columns,
}: {
  line: OutputLine | undefined;
  part: number;
  columns: number | undefined;
}): VNode | null {
  if (line === undefined) return null;
  if (line.kind === "gap") {
    const { bytes, stream } = line;
    return (
      <div class="output-row gap">
        {bytes.toLocaleString("en")} bytes of {stream} are left out here
      </div>
    );
  }
  const { stream, spans, wraps } = line;
  return (
    <div class={`output-row ${stream}`}>
      <span class="output-mark" title={stream}>
        {stream === "stderr" && part === 0 ? "!" : ""}
      </span>
      <AnsiSpans spans={columns === undefined ? spans : partOf(spans, part, columns)} />
      {wraps && columns === undefined && <span class="output-wraps">↩</span>}
    </div>
  );
}
