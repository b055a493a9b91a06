import { type ReadonlySignal, signal, useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { countdown } from "../text/index.ts";
import "./clock.css";

const SOON_MS = 60_000;

/** Shows the remaining time, red in the last minute. Only its text is redrawn. */
export function Countdown({ untilMs }: { untilMs: number }): VNode {
  const text = useComputed(() => countdown(untilMs - nowMs.value));
  const name = useComputed(() => (untilMs - nowMs.value < SOON_MS ? "countdown soon" : "countdown"));
  return (
    <time class={name} role="timer">
      {text}
    </time>
  );
}

const ticking = signal(Date.now());

/** The current time, updated once a second while the page is visible. One clock for every countdown. */
export const nowMs: ReadonlySignal<number> = ticking;

setInterval(() => {
  if (!document.hidden) ticking.value = Date.now();
}, 1_000);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) ticking.value = Date.now();
});
