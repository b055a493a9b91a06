import { addressOf, notifyNow, readPush, takeBack } from "./notify-now.ts";
import { answerFrom, keepPage } from "./page-cache.ts";

/** Serves the page while the hub is away, and shows push notifications while it is closed. It has no token, and answers no approval. */
const worker = self as unknown as WorkerScope;
const { registration } = worker;

/** Safari revokes a subscription that shows no notification; other browsers tolerate a silent withdrawal. */
const mustShow = /^((?!chrome|android).)*safari/i.test(worker.navigator.userAgent);

worker.addEventListener("install", (event) => {
  // The worker keeps no state of its version, so the newest may start at once.
  event.waitUntil(Promise.all([worker.skipWaiting(), keepPage()]));
});

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const answer = answerFrom(event.request, worker.location.origin);
  if (answer !== undefined) event.respondWith(answer);
});

worker.addEventListener("push", (event) => event.waitUntil(hear(event.data?.text())));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data = event.notification.data as { readonly approvalId?: unknown } | null;
  event.waitUntil(open(addressOf(data?.approvalId)));
});

async function hear(text: string | undefined): Promise<void> {
  const message = readPush(text);
  if (message?.kind === "withdrawn") {
    await worker.navigator.clearAppBadge?.();
    if (!mustShow) return await takeBack(registration);
    return await notifyNow(registration, { title: "Countersign", body: "Nothing waits any more.", alert: false });
  }
  if (message?.kind === "waits") {
    await worker.navigator.setAppBadge?.(message.count);
    if (!mustShow && (await isInView())) return;
  }
  const unreadable = { title: "Countersign", body: "Something waits for you.", alert: true };
  await notifyNow(registration, message === undefined ? unreadable : { alert: true, ...message });
}

/** Whether the page is focused: it shows what is pending, and browsers require no notification then. */
async function isInView(): Promise<boolean> {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  return pages.some(({ focused, visibilityState }) => focused && visibilityState === "visible");
}

/** Shows the address in an open page, or in a new one. */
async function open(address: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ focused }) => focused) ?? pages.find(({ url }) => new URL(url).pathname === "/");
  if (page === undefined) return void (await worker.clients.openWindow(address));
  page.postMessage({ kind: "open", hash: new URL(address, worker.location.origin).hash });
  await page.focus();
}

/**
 * The part of a service worker's interface that is used. TypeScript's libraries for workers and pages contradict each other. See
 * https://w3c.github.io/ServiceWorker/ and https://w3c.github.io/push-api/.
 */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  readonly navigator: Navigator;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<readonly PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof WorkerEvents>(type: K, listener: (event: WorkerEvents[K]) => void): void;
}

interface WorkerEvents {
  readonly install: LastingEvent;
  readonly activate: LastingEvent;
  readonly fetch: LastingEvent & { readonly request: Request; respondWith(response: Promise<Response>): void };
  readonly push: LastingEvent & { readonly data: { text(): string } | null };
  readonly notificationclick: LastingEvent & { readonly notification: Notification };
}

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface PageClient {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
