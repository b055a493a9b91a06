import type { PushMessage } from "@countersign/protocol/access";

/** One notification, that changes: whatever is shown later takes the place of what was shown before. */
const TAG = "countersign";

/** What an older TypeScript doesn't know of notifications. */
interface ShownOptions extends NotificationOptions {
  readonly renotify?: boolean;
}

export interface Called {
  readonly title: string;
  readonly body: string;
  readonly alert: boolean;
  /** What a click opens; the inbox without. */
  readonly approvalId?: string | undefined;
}

/** Shows it. No buttons: a notification opens an approval, and never answers one. */
export async function notifyNow(registration: ServiceWorkerRegistration, called: Called): Promise<void> {
  const options: ShownOptions = {
    body: called.body,
    tag: TAG,
    renotify: called.alert,
    silent: !called.alert,
    icon: "/icon-192.png",
    badge: "/icon-badge.png",
    data: { approvalId: called.approvalId },
  };
  await registration.showNotification(called.title, options);
}

export async function takeBack(registration: ServiceWorkerRegistration): Promise<void> {
  for (const shown of await registration.getNotifications({ tag: TAG })) shown.close();
}

/** What came from the hub; undefined where it isn't a message of this page's version. */
export function readPush(text: string | undefined): PushMessage | undefined {
  try {
    const message = JSON.parse(text ?? "") as PushMessage;
    if (message.kind === "withdrawn") return message;
    const isTold = typeof message.title === "string" && typeof message.body === "string";
    return isTold && (message.kind === "waits" || message.kind === "test") ? message : undefined;
  } catch {
    return undefined;
  }
}

export function addressOf(approvalId: unknown): string {
  return typeof approvalId === "string" && approvalId !== ""
    ? `/#/approval/${encodeURIComponent(approvalId)}`
    : "/#/inbox";
}
