import { GatewayError } from "@countersign/sdk";
import { effect, signal } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";

/** Whoever hasn't moved a finger for so long may have gone; a question may wait for no longer than a minute. */
const IDLE_MS = 30_000;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

/** Tells the hub whether somebody looks at this page: then nobody has to be called. Returns what ends it. */
export function reportPresence(hub: PageHub): () => void {
  const seen = signal({ looking: isInView(), idleMs: 0 });
  let idle: ReturnType<typeof setTimeout> | undefined;
  let aliveMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    const looking = isInView();
    if (looking !== seen.value.looking) seen.value = { looking, idleMs: 0 };
  };
  const alive = () => {
    // A moving finger says so many times a second.
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
      // An observer isn't counted; a connection that is lost says it again when it is back.
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
