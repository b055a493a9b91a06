/** Time as the hub sees it, so that tests can own it. */
export interface Clock {
  /** Unix time. People and stored deadlines use it; it can be set forwards and backwards by anyone who owns the machine. */
  wallMs(): number;
  /** Never goes back. A deadline holds by whichever of the two clocks reaches it first. */
  monotonicMs(): number;
  /** Runs once after a delay of any length; the timer doesn't keep the process alive. */
  after(delayMs: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** setTimeout fires at once for delays past this: 2^31 - 1. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    let left = delayMs;
    let handle: NodeJS.Timeout;
    const step = () => {
      const delay = Math.min(Math.max(left, 0), LONGEST_TIMEOUT_MS);
      left -= delay;
      handle = setTimeout(() => (left > 0 ? step() : run()), delay);
      handle.unref();
    };
    step();
    return { cancel: () => clearTimeout(handle) };
  },
};
