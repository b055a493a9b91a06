import { createECDH } from "node:crypto";
import type { Clock, Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { wantedPushSchema } from "@countersign/protocol/access";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import type * as z from "zod";

type Wanted = z.infer<typeof wantedPushSchema>;

/** A device with web-push on. It belongs to the token that turned it on, and ends with that token. */
export interface Subscription extends Wanted {
  readonly tokenId: string;
  readonly name: string;
  readonly createdAtMs: number;
}

interface SubscriptionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Whether a token is still valid. */
  readonly isLive: (token: { readonly id: string }) => boolean;
}

const KEPT = "notify.subscriptions";
/** Limit of subscriptions. Each costs a request for every notification. */
const MOST = 64;

/** Subscriptions to web-push, kept in the store. Each change is recorded. */
export class Subscriptions {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #isLive: (token: { readonly id: string }) => boolean;
  #all: readonly Subscription[];
  /** Changes run one at a time, because each writes the whole list. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor({ store, clock, isLive }: SubscriptionsOptions, all: readonly Subscription[]) {
    this.#store = store;
    this.#clock = clock;
    this.#isLive = isLive;
    this.#all = all;
  }

  static async load(options: SubscriptionsOptions): Promise<Subscriptions> {
    const kept = (await options.store.setting(KEPT)) as unknown as readonly Subscription[] | undefined;
    return new Subscriptions(options, kept ?? []);
  }

  /** All subscriptions except those of revoked tokens, whose removal may not be stored yet. */
  get all(): readonly Subscription[] {
    return this.#all.filter(({ tokenId }) => this.#isLive({ id: tokenId }));
  }

  of(deviceId: string): Subscription | undefined {
    return this.all.find((one) => one.deviceId === deviceId);
  }

  /** Subscribes a device of this token, or changes its settings. */
  async put(wanted: Wanted, by: Identity): Promise<void> {
    refuseBadKey(wanted.subscription.keys.p256dh);
    refuseBadZone(wanted.quiet?.timeZone);
    const device = await this.#store.device(wanted.deviceId);
    if (device?.tokenId !== by.id) throw new HubError("NOT_FOUND", "This token has no such device");
    const { endpoint } = wanted.subscription;
    await this.#change((all) => {
      // The token was revoked since it was checked. Its subscriptions have been removed already, so nothing would
      // remove this one.
      if (!this.#isLive(by)) throw new HubError("UNAUTHORIZED", "The token was revoked");
      // A browser that was paired again keeps its address, so the older entry is the same browser.
      const others = all.filter((one) => one.deviceId !== wanted.deviceId && one.subscription.endpoint !== endpoint);
      if (others.length >= MOST)
        throw new HubError("LIMIT", `${MOST} devices have notifications on (limit: pushSubscriptions)`);
      const createdAtMs = this.of(wanted.deviceId)?.createdAtMs ?? this.#clock.wallMs();
      const made: Subscription = { ...wanted, tokenId: by.id, name: device.name, createdAtMs };
      const { place, showDangerous } = wanted;
      const body = { ...about(made), place, showDangerous, person: by.name };
      return { all: [...others, made], drafts: [this.#draft("notify-on", body)] };
    });
  }

  async remove(deviceId: string, by: Identity): Promise<void> {
    const known = this.of(deviceId);
    if (!known) throw new HubError("NOT_FOUND", "This device has no notifications on");
    await this.#drop((one) => one === known, { person: by.name });
  }

  /** Removes a subscription that the push service no longer knows. */
  async gone(subscription: Subscription): Promise<void> {
    await this.#drop((one) => one === subscription, { why: "the push service has no such subscription" });
  }

  /** Removes the subscriptions of a revoked token. */
  async dropOwnedBy(tokenId: string): Promise<void> {
    await this.#drop((one) => one.tokenId === tokenId, { why: "the token was revoked" });
  }

  #drop(match: (one: Subscription) => boolean, why: Readonly<Record<string, string>>): Promise<void> {
    return this.#change((all) => {
      const drafts = all.filter(match).map((one) => this.#draft("notify-off", { ...about(one), ...why }));
      return { all: all.filter((one) => !match(one)), drafts };
    });
  }

  #change(plan: (all: readonly Subscription[]) => { all: readonly Subscription[]; drafts: Write[] }): Promise<void> {
    const done = this.#turn.then(async () => {
      const { all, drafts } = plan(this.#all);
      if (drafts.length === 0) return;
      const value = all as unknown as Json;
      await this.#store.commit([...drafts, { op: "put-setting", key: KEPT, value }]);
      this.#all = all;
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #draft(type: "notify-on" | "notify-off", body: Readonly<Record<string, string | boolean>>): Write {
    const atMs = this.#clock.wallMs();
    return { op: "append", draft: { type, sessionId: null, proposalKey: null, atMs, body } };
  }
}

/** Facts for the receipt. Never the address: with it anyone could send (unreadable) messages to that browser. */
function about({ deviceId, name, subscription }: Subscription): Record<string, string> {
  return { device: deviceId, name, service: new URL(subscription.endpoint).origin };
}

/** Refuses a key that isn't a point on the curve: every message to it would fail. */
function refuseBadKey(p256dh: string): void {
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(Buffer.from(p256dh, "base64url"));
  } catch (cause) {
    throw new HubError("INVALID_PARAMS", "subscription.keys.p256dh: isn't a point of P-256", { cause });
  }
}

function refuseBadZone(timeZone: string | undefined): void {
  try {
    Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw new HubError("INVALID_PARAMS", "quiet.timeZone: isn't known", { cause });
  }
}
