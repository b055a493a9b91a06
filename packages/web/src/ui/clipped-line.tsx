import type { ComponentChildren, VNode } from "preact";
import { clip } from "../text/index.ts";
import { VisibleText } from "./visible-text.tsx";
import "./clipped-line.css";

/** Shows one line of foreign text. If there isn't room the middle is truncated, since both ends matter. */
export function ClippedLine({
  text,
  before,
  children,
}: {
  text: string;
  /** The characters at which it may be split: see `clip`. */
  before?: string;
  /** Content before the text, truncated with it. */
  children?: ComponentChildren;
}): VNode {
  const { head, tail } = clip(text, before);
  return (
    <span class="clipped-line">
      <span>
        {children}
        <VisibleText text={head} />
      </span>
      {tail !== "" && (
        <span>
          <VisibleText text={tail} />
        </span>
      )}
    </span>
  );
}
