import type { PushMessage } from "@countersign/protocol/access";

/** The tag of the only notification: a later one replaces it. */
const TAG = "countersign";

/** A field that TypeScript's library lacks. */
interface ShownOptions extends NotificationOptions {
  readonly renotify?: boolean;
}

export interface Called {
  readonly title: string;
  readonly body: string;
  readonly alert: boolean;
  /** The approval that a click opens; the inbox if absent. */
  readonly approvalId?: string | undefined;
}

/** Shows a notification. It has no buttons, because an answer must be given on the approval itself. */
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

/** Parses a push message; undefined if it isn't one of this page's version. */
export function readPush(text: string | undefined): PushMessage | undefined {
  try {
    const message = JSON.parse(text ?? "") as PushMessage;
    if (message.kind === "withdrawn") return message;
    const isReadable = typeof message.title === "string" && typeof message.body === "string";
    return isReadable && (message.kind === "waits" || message.kind === "test") ? message : undefined;
  } catch {
    return undefined;
  }
}

export function addressOf(approvalId: unknown): string {
  return typeof approvalId === "string" && approvalId !== ""
    ? `/#/approval/${encodeURIComponent(approvalId)}`
    : "/#/inbox";
}
