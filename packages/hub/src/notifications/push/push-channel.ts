import type { Clock, Limits, Log } from "@countersign/core/base";
import type { NotifyConfig } from "@countersign/core/config";
import type { PushMessage, PushPlace, QuietHours } from "@countersign/protocol/access";
import { type Channel, Deliveries, type Delivery, type Notice, post, wordsOf } from "../channels/index.ts";
import type { PushKey } from "./push-key.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

interface PushOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly subscriptions: Subscriptions;
  /** Created at first use. */
  readonly pushKey: () => Promise<PushKey>;
  readonly config: () => NotifyConfig["push"];
}

const TEST: PushMessage = {
  kind: "test",
  title: "Countersign can reach you here",
  body: "This is a test. Nothing waits because of it.",
};
/** One topic, so that the push service replaces a message that it hasn't delivered yet (RFC 8030, 5.4). */
const TOPIC = "countersign";
const WITHDRAWAL_MS = 600_000;
const TEST_TTL_S = 60;
/** Messages are padded to a multiple of this, because their length would hint at the command. */
const PADDED_TO = 512;

/** Web-push to every subscribed device. */
export class Push {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #subscriptions: Subscriptions;
  readonly #pushKey: () => Promise<PushKey>;
  readonly #config: () => NotifyConfig["push"];
  readonly #byDevice = new Map<string, { readonly subscription: Subscription; readonly deliveries: Deliveries }>();
  /** Devices that show a notification. */
  readonly #shown = new Set<string>();
  #closed = false;

  constructor({ clock, limits, log, subscriptions, pushKey, config }: PushOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#subscriptions = subscriptions;
    this.#pushKey = pushKey;
    this.#config = config;
  }

  has(place: PushPlace): boolean {
    return this.#subscriptions.all.some((one) => one.place === place);
  }

  channel(place: PushPlace): Channel {
    const each = (send: (subscription: Subscription) => void) => {
      for (const one of this.#subscriptions.all) if (one.place === place) send(one);
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
    const deliveries = new Deliveries({
      clock: this.#clock,
      limits: this.#limits,
      log: this.#log,
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

  /** Drops messages that are queued for a device. */
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
    const nowMs = this.#clock.wallMs();
    if (subscription.quiet && isQuiet(subscription.quiet, nowMs)) return;
    this.#shown.add(subscription.deviceId);
    const { count, alert, untilMs } = notice;
    const message: PushMessage = { kind: "waits", ...wordsOf(notice, subscription), count, alert };
    const ttlSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
    const delivery = this.#delivery(subscription, message, { ttlSeconds, urgent: alert });
    this.deliveriesOf(subscription).add({ ...delivery, untilMs });
  }

  #withdraw(subscription: Subscription): void {
    // Browsers penalise a push message that shows nothing, so this is sent only if there is a notification to withdraw.
    if (!this.#shown.delete(subscription.deviceId)) return;
    const delivery = this.#delivery(subscription, { kind: "withdrawn" }, { ttlSeconds: WITHDRAWAL_MS / 1_000 });
    this.deliveriesOf(subscription).add(delivery);
  }

  #delivery(
    { subscription }: Subscription,
    message: PushMessage,
    { ttlSeconds, urgent = false }: { readonly ttlSeconds: number; readonly urgent?: boolean },
  ): Delivery {
    return {
      untilMs: this.#clock.wallMs() + WITHDRAWAL_MS,
      attempt: async (signal) => {
        const { generateRequestDetails } = (await import("web-push")).default;
        const { reach, contact } = this.#config();
        const vapidDetails = { subject: contact, ...(await this.#pushKey()) };
        const options = { vapidDetails, TTL: ttlSeconds, topic: TOPIC, urgency: urgent ? "high" : "normal" } as const;
        const request = generateRequestDetails(subscription, padded(message), options);
        const headers = request.headers as Record<string, string | number>;
        const { endpoint: url, body } = request;
        await post({ url, headers, body, reach, timeoutMs: this.#limits.notifyTimeoutMs, signal });
      },
    };
  }

  #gone(deviceId: string): void {
    const known = this.#byDevice.get(deviceId);
    this.forget(deviceId);
    const current = this.#subscriptions.of(deviceId);
    if (!known || !current || current.subscription.endpoint !== known.subscription.subscription.endpoint) return;
    this.#subscriptions.gone(current).catch((cause) => {
      this.#log.error({ err: cause }, "a push subscription that is gone could not be removed");
    });
  }
}

function padded(message: PushMessage): string {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  return text + " ".repeat(Math.ceil(bytes / PADDED_TO) * PADDED_TO - bytes);
}

/** Whether it is quiet hours for a device now. */
function isQuiet({ from, to, timeZone }: QuietHours, nowMs: number): boolean {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const now = format.format(nowMs);
  // Equal times mean never.
  return from <= to ? from <= now && now < to : now >= from || now < to;
}
