import { effect } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";

/** How many wait, where a tab that isn't looked at shows it. Returns what ends it. */
export function showCount({ approvals }: PageHub): () => void {
  const name = document.title;
  const stop = effect(() => {
    const count = approvals.waiting.value;
    document.title = count === 0 ? name : `(${count}) ${name}`;
    const shown = count === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(count);
    // Where the page isn't installed some refuse.
    shown?.catch(() => undefined);
  });
  return () => {
    stop();
    document.title = name;
  };
}
