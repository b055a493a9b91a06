import type { PageHub } from "../hub/index.ts";
import { attend } from "./attend.ts";
import { callWhileHidden } from "./call-while-hidden.ts";
import { renewPush } from "./push.ts";
import { registerWorker } from "./register-worker.ts";
import { showCount } from "./show-count.ts";
import { watchVersion } from "./watch-version.ts";

/** Everything that tells a person of what waits beside the inbox itself. Returns what ends it. */
export function startNotify(hub: PageHub): () => void {
  const stops = [attend(hub), showCount(hub), watchVersion(hub)];
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const withWorker = async () => {
    const registration = await registerWorker();
    // Safari on a phone has no notifications before the page is on the home screen.
    if (registration === undefined || isOver || !("Notification" in globalThis)) return;
    // A hub that is away for a moment must not cost the tab its calls.
    await renewPush(hub, registration).catch((cause: unknown) => console.warn("web-push could not be renewed", cause));
    // Of several tabs one calls; when it is closed, another.
    await navigator.locks.request("notify", async () => {
      if (isOver) return;
      stops.push(callWhileHidden(hub, registration));
      await over.promise;
    });
  };
  // Nothing of it keeps the page from its work.
  withWorker().catch((cause: unknown) => console.warn("notifications could not be looked after", cause));
  return () => {
    isOver = true;
    over.resolve();
    for (const stop of stops) stop();
  };
}
