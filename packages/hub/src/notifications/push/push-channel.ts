import type { NotifyConfig } from "@countersign/core/config";
import type { PushMessage, PushPlace } from "@countersign/protocol/access";
import {
  type Channel,
  Deliveries,
  type Delivery,
  type DeliveryRooms,
  type Notice,
  post,
  wordsOf,
} from "../channels/index.ts";
import type { PushKey } from "./push-key.ts";
import { isQuiet } from "./quiet-hours.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

export interface PushRooms extends DeliveryRooms {
  readonly subscriptions: Subscriptions;
  /** Made at first use. */
  pushKey(): Promise<PushKey>;
  config(): NotifyConfig["push"];
}

const TEST: PushMessage = {
  kind: "test",
  title: "Countersign can reach you here",
  body: "This is a test. Nothing waits because of it.",
};
/** One topic: at the push service a later message takes the place of one that wasn't delivered yet (RFC 8030, 5.4). */
const TOPIC = "countersign";
const WITHDRAWAL_MS = 600_000;
const TEST_TTL_S = 60;
/** Lengths tell of commands: they are told in steps. */
const PADDED_TO = 512;

/** Web-push to every device that has it on. */
export class Push {
  readonly #rooms: PushRooms;
  readonly #byDevice = new Map<string, { readonly subscription: Subscription; readonly deliveries: Deliveries }>();
  /** Devices that show something. */
  readonly #shown = new Set<string>();
  #closed = false;

  constructor(rooms: PushRooms) {
    this.#rooms = rooms;
  }

  has(place: PushPlace): boolean {
    return this.#rooms.subscriptions.all.some((one) => one.place === place);
  }

  channel(place: PushPlace): Channel {
    const each = (tell: (subscription: Subscription) => void) => {
      for (const one of this.#rooms.subscriptions.all) if (one.place === place) tell(one);
    };
    return {
      raise: (notice) => each((one) => this.#raise(one, notice)),
      withdraw: () => each((one) => this.#withdraw(one)),
    };
  }

  deliveriesOf(subscription: Subscription): Deliveries {
    const known = this.#byDevice.get(subscription.deviceId);
    if (known?.subscription.subscription.endpoint === subscription.subscription.endpoint) return known.deliveries;
    known?.deliveries.close();
    const deliveries = new Deliveries(this.#rooms, {
      to: `${subscription.name}, by ${new URL(subscription.subscription.endpoint).origin}`,
      onlyNewest: true,
      gone: () => this.#gone(subscription.deviceId),
    });
    if (this.#closed) deliveries.close();
    this.#byDevice.set(subscription.deviceId, { subscription, deliveries });
    return deliveries;
  }

  /** Throws NotifyError. */
  async test(subscription: Subscription): Promise<void> {
    await this.deliveriesOf(subscription).try(this.#delivery(subscription, TEST, { ttlSeconds: TEST_TTL_S }));
  }

  /** What was to be sent to a device that has it off isn't. */
  forget(deviceId: string): void {
    this.#byDevice.get(deviceId)?.deliveries.close();
    this.#byDevice.delete(deviceId);
  }

  forgetOwnedBy(tokenId: string): void {
    for (const [deviceId, { subscription }] of this.#byDevice) {
      if (subscription.tokenId === tokenId) this.forget(deviceId);
    }
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#byDevice.values()].map(({ deliveries }) => deliveries.finish()));
  }

  close(): void {
    this.#closed = true;
    for (const { deliveries } of this.#byDevice.values()) deliveries.close();
  }

  #raise(subscription: Subscription, notice: Notice): void {
    const { clock } = this.#rooms;
    if (subscription.quiet && isQuiet(subscription.quiet, clock.wallMs())) return;
    this.#shown.add(subscription.deviceId);
    const { count, alert, untilMs } = notice;
    const message: PushMessage = { kind: "waits", ...wordsOf(notice, subscription), count, alert };
    const ttlSeconds = Math.max(1, Math.ceil((untilMs - clock.wallMs()) / 1_000));
    const delivery = this.#delivery(subscription, message, { ttlSeconds, urgent: alert });
    this.deliveriesOf(subscription).add({ ...delivery, untilMs });
  }

  #withdraw(subscription: Subscription): void {
    // Browsers take it ill when nothing is shown for a message: it is sent only where there's something to take back.
    if (!this.#shown.delete(subscription.deviceId)) return;
    const delivery = this.#delivery(subscription, { kind: "withdrawn" }, { ttlSeconds: WITHDRAWAL_MS / 1_000 });
    this.deliveriesOf(subscription).add(delivery);
  }

  #delivery(
    { subscription }: Subscription,
    message: PushMessage,
    { ttlSeconds, urgent = false }: { readonly ttlSeconds: number; readonly urgent?: boolean },
  ): Delivery {
    const { pushKey, config, clock, limits } = this.#rooms;
    return {
      untilMs: clock.wallMs() + WITHDRAWAL_MS,
      attempt: async (signal) => {
        const { generateRequestDetails } = (await import("web-push")).default;
        const { reach, contact } = config();
        const vapidDetails = { subject: contact, ...(await pushKey()) };
        const options = { vapidDetails, TTL: ttlSeconds, topic: TOPIC, urgency: urgent ? "high" : "normal" } as const;
        const request = generateRequestDetails(subscription, padded(message), options);
        const headers = request.headers as Record<string, string | number>;
        const { endpoint: url, body } = request;
        await post({ url, headers, body, reach, timeoutMs: limits.notifyTimeoutMs, signal });
      },
    };
  }

  #gone(deviceId: string): void {
    const known = this.#byDevice.get(deviceId);
    this.forget(deviceId);
    const current = this.#rooms.subscriptions.of(deviceId);
    if (!known || !current || current.subscription.endpoint !== known.subscription.subscription.endpoint) return;
    this.#rooms.subscriptions.gone(current).catch((cause) => {
      this.#rooms.log.error({ err: cause }, "a push subscription that is gone could not be removed");
    });
  }
}

function padded(message: PushMessage): string {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  return text + " ".repeat(Math.ceil(bytes / PADDED_TO) * PADDED_TO - bytes);
}
