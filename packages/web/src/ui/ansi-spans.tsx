import type { VNode } from "preact";
import type { Span } from "../text/index.ts";
import { VisibleText } from "./visible-text.tsx";
import "./ansi.css";

/** Draws styled text as text nodes with classes of a closed set. */
export function AnsiSpans({ spans }: { spans: readonly Span[] }): VNode {
  return (
    <>
      {spans.map(({ text, classes }, n) => (
        <span key={n} class={classes}>
          <VisibleText text={text} />
        </span>
      ))}
    </>
  );
}
