import { effect } from "@preact/signals";
import { isOutdated, type PageHub } from "../hub/index.ts";
import { goTo } from "../navigation/index.ts";
import { trustedUrl } from "../ui/index.ts";
import { notifyWhileHidden } from "./notify-while-hidden.ts";
import { reportPresence } from "./presence.ts";
import { renewPush } from "./push.ts";

/** Everything that tells a person of what waits beside the inbox itself. Returns what ends it. */
export function startNotify(hub: PageHub): () => void {
  const stops = [reportPresence(hub), showCount(hub), watchVersion(hub)];
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
      stops.push(notifyWhileHidden(hub, registration));
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

/** Undefined where this browser has none, or the address isn't a secure one. */
async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const { kind, hash } = (data ?? {}) as { readonly kind?: unknown; readonly hash?: unknown };
    if (kind === "open" && typeof hash === "string" && hash.startsWith("#/")) goTo(hash);
  });
  try {
    return await navigator.serviceWorker.register(trustedUrl("/sw.js"), { updateViaCache: "none" });
  } catch {
    // The page works without: it isn't told of anything while it is closed.
    return undefined;
  }
}

/** How many wait, where a tab that isn't looked at shows it. Returns what ends it. */
function showCount({ approvals }: PageHub): () => void {
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

/** A hub that was away may come back as a newer one, with a page of its own: looked at whenever it is back. Returns what ends it. */
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
    // Gone again; it is looked at when it is back.
    return null;
  }
}
