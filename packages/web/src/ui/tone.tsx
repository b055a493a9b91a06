import type { VNode } from "preact";
import "./tone.css";

/** A word for a state, in its colour. */
export function Tone({
  class: name = "",
  word,
  tone,
  ...rest
}: {
  class?: string;
  word: string;
  tone: "live" | "well" | "ill" | "unknown";
  role?: "status";
}): VNode {
  return (
    <span class={`${name} tone ${tone}`} {...rest}>
      {word}
    </span>
  );
}
