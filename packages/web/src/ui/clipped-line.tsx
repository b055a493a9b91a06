import type { ComponentChildren, VNode } from "preact";
import { clip } from "../text/index.ts";
import { VisibleText } from "./visible-text.tsx";
import "./clipped-line.css";

/** One line of what somebody else wrote, for lists: where there isn't room, the middle gives way, since both ends matter. */
export function ClippedLine({
  text,
  before,
  children,
}: {
  text: string;
  /** Where it may be cut: see `clip`. */
  before?: string;
  /** What stands before it, and gives way with it. */
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
