import {
  type NotificationsView,
  notificationsSchema,
  okSchema,
  type PushPlace,
  type QuietHours,
} from "@countersign/protocol/access";
import type { PageHub } from "../hub/index.ts";

/** How this device wants to be notified. */
export interface PushWish {
  readonly place: PushPlace;
  readonly showDangerous: boolean;
  readonly quiet?: QuietHours | undefined;
}

/** Why this browser can't show notifications; undefined if it can. */
export function whyNot(): string | undefined {
  if (!isSecureContext)
    return "Browsers allow notifications only where the page is at https:// or on the hub’s own machine. Pair over an https address.";
  if (!("serviceWorker" in navigator && "Notification" in globalThis))
    return isOnIos()
      ? "On an iPhone or iPad, first put this page on the home screen: Share, Add to Home Screen."
      : "This browser has no notifications.";
  if (Notification.permission === "denied")
    return "This browser blocks notifications for this page. Allow them in its settings for this site.";
  return undefined;
}

export function isPhone(): boolean {
  return matchMedia("(pointer: coarse)").matches && !matchMedia("(pointer: fine)").matches;
}

function isOnIos(): boolean {
  return /iPhone|iPad/.test(navigator.userAgent);
}

/** Asks the person, subscribes at the browser's push service, and registers that with the hub. `no-push`: the push service doesn't work. */
export async function turnOn(hub: PageHub, publicKey: string, wish: PushWish): Promise<"on" | "no-push" | "refused"> {
  if ((await Notification.requestPermission()) !== "granted") return "refused";
  const registration = await navigator.serviceWorker.ready;
  const made = await subscribe(registration, publicKey).catch(() => undefined);
  if (made === undefined) return "no-push";
  await register(hub, made, wish);
  return "on";
}

/** Changes the settings of the existing subscription. */
export async function changePush(hub: PageHub, publicKey: string, wish: PushWish): Promise<void> {
  await register(hub, await subscribe(await navigator.serviceWorker.ready, publicKey), wish);
}

export async function turnOff(hub: PageHub, deviceId: string): Promise<void> {
  if (deviceId === hub.device.deviceId) {
    const registration = await navigator.serviceWorker.getRegistration();
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  }
  await hub.api(okSchema, "DELETE /api/v1/notifications/subscription", { query: { deviceId } });
}

/** Registers a changed push address with the hub when the page is opened: browsers replace it now and then. */
export async function renewPush(hub: PageHub, registration: ServiceWorkerRegistration): Promise<void> {
  if (Notification.permission !== "granted" || registration.pushManager === undefined) return;
  const known = await registration.pushManager.getSubscription();
  const view = await hub.api(notificationsSchema, "GET /api/v1/notifications");
  const mine = pushOf(view, hub);
  if (mine === undefined) await known?.unsubscribe();
  else if (known === null) await register(hub, await subscribe(registration, view.push.publicKey), mine);
}

/** The hub's subscription for this device. */
export function pushOf(
  view: NotificationsView,
  hub: PageHub,
): NotificationsView["push"]["subscriptions"][number] | undefined {
  return view.push.subscriptions.find(({ deviceId }) => deviceId === hub.device.deviceId);
}

async function subscribe(registration: ServiceWorkerRegistration, publicKey: string): Promise<PushSubscription> {
  const { pushManager } = registration;
  const known = await pushManager.getSubscription();
  if (known !== null && toBase64url(known.options.applicationServerKey) === publicKey) return known;
  // The subscription of another hub at the same address.
  await known?.unsubscribe();
  return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

async function register(
  hub: PageHub,
  made: PushSubscription,
  { place, showDangerous, quiet }: PushWish,
): Promise<void> {
  const { endpoint, keys } = made.toJSON();
  const subscription = { endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth } };
  const { deviceId } = hub.device;
  const body = { deviceId, subscription, place, showDangerous, ...(quiet ? { quiet } : {}) };
  await hub.api(okSchema, "POST /api/v1/notifications/subscription", { body });
}

function toBase64url(bytes: ArrayBuffer | null): string {
  if (bytes === null) return "";
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
