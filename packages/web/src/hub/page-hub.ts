import { type HubState, hubStateSchema } from "@countersign/protocol/hub";
import { type Envelope, HubStateAction } from "@countersign/protocol/proposals";
import type { HubInfo, MethodName, MethodParams, MethodResult } from "@countersign/protocol/wire";
import {
  type CardSigner,
  type ConnectionState,
  cardSigner,
  GatewayClient,
  GatewayError,
  type RequestOptions,
} from "@countersign/sdk";
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type * as z from "zod";
import { type ApiOptions, callApi, fetchApi } from "./api.ts";
import { CardMemory } from "./card-memory.ts";
import type { Credentials } from "./credentials.ts";
import { PendingApprovals } from "./pending-approvals.ts";

/**
 * `connecting`: not connected yet. `away`: lost, and retried automatically. `refused`: the hub no longer accepts the token. `replaced`:
 * another tab took over the connection.
 */
export type LinkState = "connecting" | "live" | "away" | "refused" | "replaced";

/** The page's connection to the hub: one WebSocket for events and answers, HTTP for queries. */
export class PageHub {
  readonly approvals = new PendingApprovals();
  readonly memory = new CardMemory();
  readonly device: Credentials;
  /** Signs what was displayed, with this device's key. */
  readonly sign: CardSigner;
  readonly #client: GatewayClient;
  readonly #state = signal<LinkState>("connecting");
  readonly #info = signal<HubInfo | undefined>(undefined);
  readonly #hubState = signal<HubState | undefined>(undefined);
  readonly #listeners = new Set<(message: Envelope) => void>();
  #unheard: Envelope[] = [];
  #stopWatching: (() => void) | undefined;
  #isClosed = false;

  /** `slot`: the number of this browser tab, see `takeSlot`. */
  constructor(device: Credentials, slot: number) {
    this.device = device;
    this.sign = cardSigner(device.key);
    const url = `${location.origin.replace(/^http/, "ws")}/ws`;
    const deviceId = slot === 1 ? device.deviceId : `${device.deviceId}.${slot}`;
    this.#client = new GatewayClient({ url, token: device.token, deviceType: "client", deviceId });
    this.#client.onMessage((message) => this.#hear(message));
    this.#client.onStateChange((state, cause) => this.#onState(state, cause));
  }

  /** For functions of the SDK that follow something across reconnections. */
  get client(): GatewayClient {
    return this.#client;
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state;
  }

  /** The hub's information about itself, refreshed on every connection. */
  get info(): ReadonlySignal<HubInfo | undefined> {
    return this.#info;
  }

  /** The hub's status: what is pending, running, ran today, whether it is paused. The hub sends changes. */
  get hubState(): ReadonlySignal<HubState | undefined> {
    return this.#hubState;
  }

  /** Connects, and retries until `close`. */
  async open(): Promise<void> {
    this.#stopWatching ??= watchLink(this);
    for (let waitMs = 500; !this.#isClosed; waitMs = Math.min(waitMs * 2, 10_000)) {
      try {
        await this.#client.connect();
        return;
      } catch (cause) {
        if (!(cause instanceof GatewayError)) throw cause;
        if (cause.code === "UNAUTHORIZED" || this.#state.value === "refused") return;
        this.#state.value = "away";
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching?.();
    this.#client.disconnect();
  }

  /** Replaces a connection that only seems to be alive. */
  drop(): void {
    if (this.#state.value !== "live") return;
    this.#client.disconnect();
    this.#state.value = "away";
    void this.open();
  }

  /** Retries now instead of when the next attempt is due. */
  retry(): void {
    if (this.#isClosed) return;
    this.#client.connect().catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) throw cause;
    });
  }

  async request<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    options?: RequestOptions,
  ): Promise<MethodResult<M>> {
    const to = this.#client.hubDeviceId;
    if (to === undefined) throw new GatewayError("DISCONNECTED", "There's no connection to the hub.");
    // The method is a type parameter here, so TypeScript can't choose between the overloads of `request`.
    return (await this.#client.request(
      to,
      method as MethodName,
      params as MethodParams<MethodName>,
      options,
    )) as MethodResult<M>;
  }

  api<T>(schema: z.ZodType<T>, where: string, options?: ApiOptions): Promise<T> {
    return callApi(this.device.token, schema, where, options);
  }

  /** Returns the raw response, for streams and downloads. */
  fetch(where: string, options?: ApiOptions): Promise<Response> {
    return fetchApi(this.device.token, where, options);
  }

  /** Calls `listener` for every message of the hub that isn't an answer. */
  onMessage(listener: (message: Envelope) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Refreshes the hub's information about itself, after a change of it. */
  async look(): Promise<void> {
    this.#info.value = await this.request("getHubInfo", {});
  }

  #hear(message: Envelope): void {
    // Ignores messages from other devices: only the hub's count.
    if (message.from !== this.#client.hubDeviceId) return;
    // Handled in a later task, so that messages that arrive together are one change.
    if (this.#unheard.length === 0) setTimeout(() => this.#flush());
    this.#unheard.push(message);
  }

  #flush(): void {
    const messages = this.#unheard;
    this.#unheard = [];
    batch(() => this.approvals.hear(messages));
    this.#forgetDrafts();
    for (const message of messages) {
      if (message.action === HubStateAction) this.#hearState(hubStateSchema.safeParse(message.payload).data);
      for (const listener of this.#listeners) listener(message);
    }
  }

  /** Someone else may have paused or resumed the hub. */
  #hearState(state: HubState | undefined): void {
    if (state === undefined) return;
    batch(() => {
      this.#hubState.value = state;
      const info = this.#info.value;
      if (info) this.#info.value = { ...info, paused: state.paused !== null };
    });
  }

  #onState(state: ConnectionState, cause: GatewayError | undefined): void {
    if (state === "connected") {
      this.#state.value = "live";
      this.#settle().catch((error: unknown) => {
        // The connection was lost again; the next one retries.
        if (!(error instanceof GatewayError)) throw error;
      });
    } else if (state === "closed") this.#state.value = cause?.code === "REPLACED" ? "replaced" : "refused";
    else if (state === "reconnecting") this.#state.value = "away";
  }

  /** Finds the cards that were settled during the outage: the hub doesn't repeat those events. */
  async #settle(): Promise<void> {
    await this.look();
    this.#hearState(await this.request("followState", {}));
    // A card that arrives while the list is read may be missing from it.
    const before = this.approvals.ids.value;
    if (before.length === 0) return;
    const open = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await this.request("listExecApprovals", after === undefined ? {} : { after });
      for (const { approvalId } of page.approvals) open.add(approvalId);
      // The count of a shared card may have changed, and the hub doesn't resend a known card.
      batch(() => this.approvals.recount(page.approvals));
      after = page.next;
      if (after === undefined) break;
    }
    this.approvals.gone(before.filter((id) => !open.has(id)));
    this.#forgetDrafts();
  }

  #forgetDrafts(): void {
    // A card that is missing was settled and dismissed.
    this.memory.forgetDrafts((id) => {
      const card = this.approvals.get(id)?.peek();
      return card === undefined || card.end !== undefined;
    });
  }
}

const CHECK_EVERY_MS = 20_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Detects dead connections, after a laptop slept or a phone changed networks. Sends a request at intervals and whenever the page is shown
 * again, so that "live" is never stale. Returns a function that stops it.
 */
function watchLink(hub: PageHub): () => void {
  const over = new AbortController();
  const { signal } = over;
  const check = async () => {
    if (document.hidden || hub.state.value !== "live") return;
    try {
      await hub.request("getHubInfo", {}, { timeoutMs: CHECK_TIMEOUT_MS });
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      if (cause.code === "TIMEOUT" && !signal.aborted) hub.drop();
    }
  };
  const timer = setInterval(check, CHECK_EVERY_MS);
  document.addEventListener("visibilitychange", check, { signal });
  addEventListener("online", () => hub.retry(), { signal });
  addEventListener("offline", () => hub.drop(), { signal });
  return () => {
    clearInterval(timer);
    over.abort();
  };
}

/** Whether the hub now serves a newer page than the open one. */
export const isOutdated = signal(false);
