import { GatewayError } from "@countersign/sdk";
import type { PageHub } from "./page-hub.ts";

const CHECK_EVERY_MS = 20_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * A connection can be dead without anybody saying so: a laptop slept, a phone left the house. So the hub is asked for a sign of life now and then,
 * and whenever somebody comes back to look; "live" must not be what it was an hour ago. Returns what ends it.
 */
export function watchLink(hub: PageHub): () => void {
  const over = new AbortController();
  const { signal } = over;
  const check = async () => {
    if (document.hidden || hub.state.value !== "live") return;
    try {
      await hub.request("getHubInfo", {}, { timeoutMs: CHECK_TIMEOUT_MS });
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      if (cause.code === "TIMEOUT" && !signal.aborted) hub.drop();
    }
  };
  const timer = setInterval(check, CHECK_EVERY_MS);
  document.addEventListener("visibilitychange", check, { signal });
  addEventListener("online", () => hub.retry(), { signal });
  addEventListener("offline", () => hub.drop(), { signal });
  return () => {
    clearInterval(timer);
    over.abort();
  };
}
