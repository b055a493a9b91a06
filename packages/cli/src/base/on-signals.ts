import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type StopSignal = (typeof SIGNALS)[number];

/**
 * A terminal sends Ctrl-C to the whole process group, and `bin/countersign.js` passes on what it gets: one key press can
 * arrive twice. No finger is so fast.
 */
const SAME_PRESS_MS = 250;

/** Calls `stop` at the first signal; a second one leaves at once, with the code that a shell gives for it. */
export function onSignals(stop: (signal: StopSignal) => void): { off(): void } {
  let firstAtMs: number | undefined;
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      const nowMs = performance.now();
      if (firstAtMs === undefined) {
        firstAtMs = nowMs;
        stop(signal);
      } else if (nowMs - firstAtMs > SAME_PRESS_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    off() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
