import type { Clock } from "../../base/index.ts";

/** Asks again only after the answer has become this old. */
export function rememberFor<T>(lifetimeMs: number, clock: Clock, ask: () => T): () => T {
  let known: { readonly answer: T; readonly until: number } | undefined;
  return () => {
    const now = clock.monotonicMs();
    if (known === undefined || now >= known.until) known = { answer: ask(), until: now + lifetimeMs };
    return known.answer;
  };
}
