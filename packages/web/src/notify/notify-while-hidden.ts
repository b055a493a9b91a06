import { RISK_WORDS } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import { effect, signal } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";
import { type Called, notifyNow, takeBack } from "./notify-now.ts";

/** Whether this tab notifies while it is open and hidden, for browsers without a push service or people who don't want it. */
const KEPT = "notify-while-open";
export const whileOpen = signal(localStorage.getItem(KEPT) === "on");
effect(() => {
  if (whileOpen.value) localStorage.setItem(KEPT, "on");
  else localStorage.removeItem(KEPT);
});

/** Minimum time between two notifications. */
const AGAIN_MS = 10_000;

/** Notifies of pending approvals while the page is hidden. Returns a function that stops it. */
export function notifyWhileHidden(hub: PageHub, registration: ServiceWorkerRegistration): () => void {
  const notified = new Set<string>();
  let notifiedMs = 0;
  let later: ReturnType<typeof setTimeout> | undefined;
  let shown = false;
  const look = () => {
    clearTimeout(later);
    const waiting = waitingIn(hub);
    if (waiting.length === 0 || !document.hidden) {
      if (shown) takeBack(registration);
      shown = false;
    }
    const ids = new Set(waiting.map(({ approvalId }) => approvalId));
    const over = [...notified].filter((id) => !ids.has(id));
    for (const id of over) notified.delete(id);
    // Corrects the shown notification silently.
    if (shown && over.length > 0) notifyNow(registration, { ...wordsOf(waiting), alert: false }).catch(() => undefined);
    const fresh = waiting.filter(({ approvalId }) => !notified.has(approvalId));
    if (fresh.length === 0 || !whileOpen.value || Notification.permission !== "granted") return;
    if (!document.hidden) {
      // The person has seen these: don't notify of them if the page is hidden later.
      for (const { approvalId } of fresh) notified.add(approvalId);
      return;
    }
    const waitMs = notifiedMs + AGAIN_MS - Date.now();
    if (waitMs > 0) {
      later = setTimeout(look, waitMs);
      return;
    }
    notifiedMs = Date.now();
    shown = true;
    for (const { approvalId } of waiting) notified.add(approvalId);
    notifyNow(registration, wordsOf(waiting)).catch(() => undefined);
  };
  const stop = effect(look);
  document.addEventListener("visibilitychange", look);
  return () => {
    stop();
    clearTimeout(later);
    document.removeEventListener("visibilitychange", look);
  };
}

function waitingIn({ approvals }: PageHub): ExecApprovalRequestPayload[] {
  return approvals.ids.value.flatMap((id) => {
    const card = approvals.get(id)?.value;
    return card === undefined || card.end !== undefined ? [] : [card.payload];
  });
}

/** The hub's wording without the command: the open page shows the rest. */
function wordsOf(waiting: readonly ExecApprovalRequestPayload[]): Called {
  const [first] = waiting;
  const dangerous = waiting.filter(({ riskLevel }) => riskLevel === "dangerous").length;
  if (waiting.length > 1 || first === undefined) {
    const among = dangerous === 0 ? "" : `: ${dangerous} dangerous`;
    return { title: `${waiting.length} wait${among}`, body: "Open the inbox to answer.", alert: true };
  }
  const risk = RISK_WORDS[dangerous === 0 ? "needs-review" : "dangerous"];
  return {
    title: `${visible(first.agentName)} asks · ${risk}`,
    body: "Open it to answer.",
    alert: true,
    approvalId: first.approvalId,
  };
}
