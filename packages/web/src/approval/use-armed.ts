import { useCallback, useEffect, useRef } from "preact/hooks";

/** Long enough that a click or key meant for what stood there before doesn't count. */
const ARMING_MS = 400;

/**
 * Whether the card has stood unchanged for long enough to be answered. Coming back to the window begins anew: the click that does so isn't
 * an answer. Asked when a key or click comes, so that nothing has to be drawn for it.
 */
export function useArmed(version: string): () => boolean {
  const changedAt = useRef(performance.now());
  const known = useRef(version);
  if (known.current !== version) {
    known.current = version;
    changedAt.current = performance.now();
  }
  useEffect(() => {
    const begin = () => {
      changedAt.current = performance.now();
    };
    addEventListener("focus", begin);
    document.addEventListener("visibilitychange", begin);
    return () => {
      removeEventListener("focus", begin);
      document.removeEventListener("visibilitychange", begin);
    };
  }, []);
  return useCallback(() => performance.now() - changedAt.current >= ARMING_MS, []);
}
