/**
 * What a service worker has and a page doesn't: TypeScript's libraries for the two contradict each other, so this is the part of it that is
 * used (https://w3c.github.io/ServiceWorker/, https://w3c.github.io/push-api/).
 */
export interface WorkerScope {
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
