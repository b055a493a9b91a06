import { effect } from "@preact/signals";
import { isOutdated, type PageHub } from "../hub/index.ts";
import { goTo } from "../navigation/index.ts";
import { trustedUrl } from "../ui/index.ts";
import { notifyWhileHidden } from "./notify-while-hidden.ts";
import { reportPresence } from "./presence.ts";
import { renewPush } from "./push.ts";

/** Starts everything that draws attention to pending approvals outside the inbox. Returns a function that stops it. */
export function startNotify(hub: PageHub): () => void {
  const stops = [reportPresence(hub), showCount(hub), watchVersion(hub)];
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const withWorker = async () => {
    const registration = await registerWorker();
    // Safari on a phone has no notifications until the page is on the home screen.
    if (registration === undefined || isOver || !("Notification" in globalThis)) return;
    // Continues if the hub is briefly away: this tab must still notify.
    await renewPush(hub, registration).catch((cause: unknown) => console.warn("web-push could not be renewed", cause));
    // Only one of several tabs notifies; when it is closed, another takes over.
    await navigator.locks.request("notify", async () => {
      if (isOver) return;
      stops.push(notifyWhileHidden(hub, registration));
      await over.promise;
    });
  };
  // A failure here must not stop the page.
  withWorker().catch((cause: unknown) => console.warn("notifications could not be looked after", cause));
  return () => {
    isOver = true;
    over.resolve();
    for (const stop of stops) stop();
  };
}

/** Undefined if the browser has no service workers, or the address isn't secure. */
async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const { kind, hash } = (data ?? {}) as { readonly kind?: unknown; readonly hash?: unknown };
    if (kind === "open" && typeof hash === "string" && hash.startsWith("#/")) goTo(hash);
  });
  try {
    return await navigator.serviceWorker.register(trustedUrl("/sw.js"), { updateViaCache: "none" });
  } catch {
    // The page works without it, but can't notify while it is closed.
    return undefined;
  }
}

/** Shows the number of pending approvals in the tab's title and the app's badge. Returns a function that stops it. */
function showCount({ approvals }: PageHub): () => void {
  const name = document.title;
  const stop = effect(() => {
    const count = approvals.waiting.value;
    document.title = count === 0 ? name : `(${count}) ${name}`;
    const shown = count === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(count);
    // Some browsers refuse unless the page is installed.
    shown?.catch(() => undefined);
  });
  return () => {
    stop();
    document.title = name;
  };
}

/** Detects a new version of the page, on every reconnection. Returns a function that stops it. */
function watchVersion(hub: PageHub): () => void {
  let known: string | null = null;
  const look = async () => {
    const etag = await etagNow();
    known ??= etag;
    if (etag !== null && etag !== known) isOutdated.value = true;
  };
  return effect(() => {
    if (hub.state.value === "live") void look();
  });
}

async function etagNow(): Promise<string | null> {
  try {
    return (await fetch("/", { method: "HEAD", cache: "no-store", credentials: "omit" })).headers.get("etag");
  } catch {
    // The hub is away again; the next connection checks.
    return null;
  }
}
