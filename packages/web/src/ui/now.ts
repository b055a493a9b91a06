import { type ReadonlySignal, signal } from "@preact/signals";

const ticking = signal(Date.now());

/** The time, once a second while the page is looked at: one clock for every countdown. */
export const nowMs: ReadonlySignal<number> = ticking;

setInterval(() => {
  if (!document.hidden) ticking.value = Date.now();
}, 1_000);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) ticking.value = Date.now();
});
