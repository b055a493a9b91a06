import { goTo } from "../navigation/index.ts";
import { trustedUrl } from "../ui/index.ts";

/** Undefined where this browser has none, or the address isn't a secure one. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
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
