import { type Clock, type Identity, type Limits, TokenBucket } from "@countersign/core/base";
import { type Home, NotifyError, readTarget } from "@countersign/core/config";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import {
  type NotificationsView,
  notificationTestSchema,
  unwantedPushSchema,
  wantedPushSchema,
} from "@countersign/protocol/access";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Store } from "@countersign/store";
import type { Hub } from "../hub/index.ts";
import type { Tokens } from "../identity/index.ts";
import { waitingOf } from "./channels/index.ts";
import { type Configured, openConfigured } from "./configured.ts";
import { Notifier } from "./notifier.ts";
import { openPushKey, Push, type PushKey, Subscriptions } from "./push/index.ts";
import { PHONE_AFTER_MS, tiersOf } from "./tiers.ts";

interface NotificationsOptions {
  readonly hub: Hub;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly home: Home;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly env: NodeJS.ProcessEnv;
  /** Rings where the hub runs in a terminal. */
  readonly bell: (() => void) | undefined;
}

/** Bounds test notifications, because each goes to somebody else's server at once. */
const TESTS = { burst: 5, perSecond: 0.2 };

/** How long `close` waits for other servers. */
const LAST_MS = 1_000;

/** Notifies people of pending approvals when nobody is looking. It decides nothing, and nothing waits for it. */
export class Notifications {
  readonly #hub: Hub;
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #env: NodeJS.ProcessEnv;
  readonly #bell: (() => void) | undefined;
  readonly #subscriptions: Subscriptions;
  readonly #push: Push;
  readonly #notifier: Notifier;
  readonly #tests: TokenBucket;
  #configured: Configured | undefined;
  #key: Promise<PushKey> | undefined;

  private constructor(options: NotificationsOptions, subscriptions: Subscriptions) {
    const { hub, tokens, home, clock, limits, env, bell } = options;
    const { log, news, attention } = hub;
    this.#hub = hub;
    this.#home = home;
    this.#clock = clock;
    this.#limits = limits;
    this.#env = env;
    this.#bell = bell;
    this.#subscriptions = subscriptions;
    this.#tests = new TokenBucket(clock, TESTS);
    const pushKey = () => this.#pushKey();
    this.#push = new Push({ clock, limits, log, subscriptions, pushKey, config: () => hub.config.notify.push });
    const tiers = () => tiersOf({ ...this.#current, push: this.#push, watched: attention.watched });
    this.#notifier = new Notifier({ clock, log, news, attention, tiers });
    tokens.onRevoked((id) => {
      // Drops messages that are still queued for this token's devices.
      this.#push.forgetOwnedBy(id);
      subscriptions
        .dropOwnedBy(id)
        .catch((cause) => log.error({ err: cause }, "a revoked token's notifications could not be turned off"));
    });
  }

  static async open(options: NotificationsOptions): Promise<Notifications> {
    const { store, tokens, clock, limits } = options;
    const subscriptions = await Subscriptions.load({ store, clock, isLive: (token) => tokens.isLive(token) });
    const made = new Notifications(options, subscriptions);
    const waiting = await store.pendingApprovals({ limit: limits.pageSize });
    const cards = waiting.map(({ payload }) => payload as unknown as ExecApprovalRequestPayload);
    // A row that another tool has spoilt has no card.
    made.#notifier.begin(cards.filter(({ approvalId }) => typeof approvalId === "string").map(waitingOf));
    return made;
  }

  async view(): Promise<NotificationsView> {
    const { desktop, bell, channels } = this.#current;
    return {
      push: {
        publicKey: (await this.#pushKey()).publicKey,
        subscriptions: this.#subscriptions.all.map((one) => {
          const { deviceId, name, place, showDangerous, quiet, createdAtMs } = one;
          const service = new URL(one.subscription.endpoint).origin;
          const how = { place, showDangerous, ...(quiet ? { quiet } : {}) };
          return { deviceId, name, ...how, service, createdAtMs, ...this.#push.deliveriesOf(one).health };
        }),
      },
      channels: channels.map(({ name, config: { kind, url, afterSeconds, showDangerous }, channel }) => {
        const { origin } = new URL(url);
        return { name, kind, origin, afterSeconds, showDangerous, ...channel.deliveries.health };
      }),
      desktop: "problem" in desktop ? { on: false, problem: desktop.problem } : { on: desktop.channel !== undefined },
      bell: { on: bell !== undefined },
      phoneAfterSeconds: PHONE_AFTER_MS / 1_000,
    };
  }

  async turnOn(raw: unknown, by: Identity): Promise<void> {
    const wanted = readOrRefuse(wantedPushSchema, raw);
    try {
      readTarget(wanted.subscription.endpoint, this.#hub.config.notify.push.reach);
    } catch (cause) {
      if (!(cause instanceof NotifyError)) throw cause;
      throw new HubError("INVALID_PARAMS", `subscription.endpoint: ${cause.message}`, { cause });
    }
    await this.#subscriptions.put(wanted, by);
    this.#notifier.look();
  }

  async turnOff(raw: unknown, by: Identity): Promise<void> {
    const { deviceId } = readOrRefuse(unwantedPushSchema, raw);
    await this.#subscriptions.remove(deviceId, by);
    this.#push.forget(deviceId);
  }

  /** Sends one test to a device or channel, and returns whether it arrived. */
  async test(raw: unknown): Promise<{ delivered: boolean; problem?: string }> {
    const { deviceId = "", channel } = readOrRefuse(notificationTestSchema, raw);
    if (!this.#tests.take()) throw new HubError("LIMIT", "Too many tests; try again in a while (limit: notifyTests)");
    const subscription = this.#subscriptions.of(deviceId);
    const named = this.#current.channels.find(({ name }) => name === channel);
    if (!subscription && !named) throw new HubError("NOT_FOUND", "No notifications are on there");
    try {
      await (subscription ? this.#push.test(subscription) : named?.channel.test());
      return { delivered: true };
    } catch (cause) {
      if (cause instanceof NotifyError) return { delivered: false, problem: `${cause.message} (${cause.code})` };
      throw cause;
    }
  }

  /** Call after the hub has closed: approvals denied at shutdown are withdrawn if that takes less than a second. */
  async close(): Promise<void> {
    this.#notifier.close();
    const late = new Promise((resolve) => setTimeout(resolve, LAST_MS).unref());
    await Promise.race([Promise.all([this.#push.finish(), this.#configured?.finish()]), late]);
    this.#push.close();
    this.#configured?.close();
  }

  /** The channels of the configuration in force, which can change while the hub runs. */
  get #current(): Configured {
    const { notify } = this.#hub.config;
    if (this.#configured?.config === notify) return this.#configured;
    this.#configured?.close();
    const page = notify.page ?? this.#hub.config.page.origins[0];
    this.#configured = openConfigured(notify, {
      ...{ clock: this.#clock, limits: this.#limits, log: this.#hub.log, env: this.#env, bell: this.#bell, page },
      keysDir: this.#home.keys,
    });
    return this.#configured;
  }

  #pushKey(): Promise<PushKey> {
    this.#key ??= openPushKey(this.#home.keys);
    return this.#key;
  }
}
