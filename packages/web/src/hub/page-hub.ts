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
 * `connecting`: not yet there. `live`. `away`: lost, and tried again by itself. `refused`: the token is no longer taken. `replaced`: the page
 * is open in another tab, and this one stands back.
 */
export type LinkState = "connecting" | "live" | "away" | "refused" | "replaced";

/** This page's hold on the hub: one socket for news and answers, HTTP for what is looked up. */
export class PageHub {
  readonly approvals = new PendingApprovals();
  readonly memory = new CardMemory();
  readonly device: Credentials;
  /** Signs with this device's key over what was displayed. */
  readonly sign: CardSigner;
  readonly #client: GatewayClient;
  readonly #state = signal<LinkState>("connecting");
  readonly #info = signal<HubInfo | undefined>(undefined);
  readonly #hubState = signal<HubState | undefined>(undefined);
  readonly #listeners = new Set<(message: Envelope) => void>();
  #unheard: Envelope[] = [];
  #stopWatching: (() => void) | undefined;
  #isClosed = false;

  /** `slot`: which of this browser's tabs it is, see `takeSlot`. */
  constructor(device: Credentials, slot: number) {
    this.device = device;
    this.sign = cardSigner(device.key);
    const url = `${location.origin.replace(/^http/, "ws")}/ws`;
    const deviceId = slot === 1 ? device.deviceId : `${device.deviceId}.${slot}`;
    this.#client = new GatewayClient({ url, token: device.token, deviceType: "client", deviceId });
    this.#client.onMessage((message) => this.#hear(message));
    this.#client.onStateChange((state, cause) => this.#onState(state, cause));
  }

  /** For the SDK's own functions, which follow something over lost connections. */
  get client(): GatewayClient {
    return this.#client;
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state;
  }

  /** What the hub says of itself; looked up again whenever the connection is back. */
  get info(): ReadonlySignal<HubInfo | undefined> {
    return this.#info;
  }

  /** How it stands: what waits, runs, ran today, is paused. The hub tells when that changes. */
  get hubState(): ReadonlySignal<HubState | undefined> {
    return this.#hubState;
  }

  /** Goes on trying by itself until `close`. */
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

  /** It only seems to be there: a new connection is made. */
  drop(): void {
    if (this.#state.value !== "live") return;
    this.#client.disconnect();
    this.#state.value = "away";
    void this.open();
  }

  /** Now, instead of when the next try is due. */
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
    // The name is a type parameter here, which the two forms of `request` can't be told apart by.
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

  /** The answer as it is, for streams and downloads. */
  fetch(where: string, options?: ApiOptions): Promise<Response> {
    return fetchApi(this.device.token, where, options);
  }

  /** Every message of the hub that isn't an answer. */
  onMessage(listener: (message: Envelope) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks again what the hub says of itself, after something that changed it. */
  async look(): Promise<void> {
    this.#info.value = await this.request("getHubInfo", {});
  }

  #hear(message: Envelope): void {
    // Another device may send to this one: only the hub's word counts.
    if (message.from !== this.#client.hubDeviceId) return;
    // In a turn of its own: frames that came together are one change.
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

  /** Somebody else may have paused or resumed it. */
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
        // Lost again: the next connection asks again.
        if (!(error instanceof GatewayError)) throw error;
      });
    } else if (state === "closed") this.#state.value = cause?.code === "REPLACED" ? "replaced" : "refused";
    else if (state === "reconnecting") this.#state.value = "away";
  }

  /** What was settled while the connection was away isn't told afterwards. */
  async #settle(): Promise<void> {
    await this.look();
    this.#hearState(await this.request("followState", {}));
    // What is asked while the list is read may be missing from it.
    const before = this.approvals.ids.value;
    if (before.length === 0) return;
    const open = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await this.request("listExecApprovals", after === undefined ? {} : { after });
      for (const { approvalId } of page.approvals) open.add(approvalId);
      // How many share a card may have changed, and a card that is known isn't told again.
      batch(() => this.approvals.recount(page.approvals));
      after = page.next;
      if (after === undefined) break;
    }
    this.approvals.gone(before.filter((id) => !open.has(id)));
    this.#forgetDrafts();
  }

  #forgetDrafts(): void {
    // One that isn't there any more was settled and put away.
    this.memory.forgetDrafts((id) => {
      const card = this.approvals.get(id)?.peek();
      return card === undefined || card.end !== undefined;
    });
  }
}

const CHECK_EVERY_MS = 20_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * A connection can be dead without anybody saying so: a laptop slept, a phone left the house. So the hub is asked for a sign of life now and then,
 * and whenever somebody comes back to look; "live" must not be what it was an hour ago. Returns what ends it.
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

/** Whether the hub has another page by now than the one that is open. */
export const isOutdated = signal(false);
