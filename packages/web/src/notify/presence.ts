import { GatewayError } from "@countersign/sdk";
import { effect, signal } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";

/** After this long without input the person may have left. Short, because a question may wait for only a minute. */
const IDLE_MS = 30_000;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

/** Reports to the hub whether someone looks at this page, so that it needn't notify anyone. Returns a function that stops it. */
export function reportPresence(hub: PageHub): () => void {
  const seen = signal({ looking: isInView(), idleMs: 0 });
  let idle: ReturnType<typeof setTimeout> | undefined;
  let aliveMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    const looking = isInView();
    if (looking !== seen.value.looking) seen.value = { looking, idleMs: 0 };
  };
  const alive = () => {
    // Limits the rate: a moving pointer fires many events a second.
    if (seen.value.looking && Date.now() - aliveMs < IDLE_MS / 10) return;
    aliveMs = Date.now();
    look();
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (seen.value.looking) seen.value = { looking: false, idleMs: IDLE_MS };
    }, IDLE_MS);
  };
  alive();
  for (const sign of SIGNS_OF_LIFE) addEventListener(sign, alive, { passive: true, capture: true });
  for (const change of ["blur", "pagehide"]) addEventListener(change, look);
  document.addEventListener("visibilitychange", look);
  const stopTelling = effect(() => {
    if (hub.state.value !== "live") return;
    hub.request("attend", { where: "page", ...seen.value }).catch((cause: unknown) => {
      // Observers aren't counted. After a lost connection the effect reports again.
      if (!(cause instanceof GatewayError)) throw cause;
    });
  });
  return () => {
    stopTelling();
    clearTimeout(idle);
    for (const sign of SIGNS_OF_LIFE) removeEventListener(sign, alive, { capture: true });
    for (const change of ["blur", "pagehide"]) removeEventListener(change, look);
    document.removeEventListener("visibilitychange", look);
  };
}

function isInView(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
