import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import {
  type AnswerResult,
  type ApprovalClosed,
  type ApprovalCounted,
  approvalClosedSchema,
  approvalCountedSchema,
  type Envelope,
  ExecApprovalCountedAction,
  ExecApprovalExpiredAction,
  ExecApprovalRequestAction,
  type ExecApprovalRequestPayload,
  ExecApprovalResolvedAction,
  execApprovalRequestSchema,
  explanationSchema,
  HubStateAction,
  LedgerCheckpointAction,
  type Preview,
  type ScopeOffer,
  type WireExplanation,
} from "@countersign/protocol/proposals";
import type { ShownLedger } from "@countersign/receipts";
import { type CardSigner, GatewayClient, GatewayError, type PlainAnswer } from "@countersign/sdk";
import { CliError, type CliErrorCode, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { callHttp, deviceIdOf, findHub, type HttpHub } from "../connect/index.ts";
import { readHubState, signerFor } from "../hub-calls/index.ts";
import { alarmText, memoryFile, witnessHub } from "../witness/index.ts";
import type { HubFacts } from "./model/index.ts";
import { type Slot, takeSlot } from "./take-slot.ts";

export interface LinkEvents {
  asked(card: ExecApprovalRequestPayload): void;
  /** The card stands for another number of the same question. */
  counted?(counted: ApprovalCounted): void;
  closed(closed: ApprovalClosed, expired: boolean): void;
  /** Which ones the caller holds for open: after a reconnection it is told, by `gone`, which of them aren't. */
  known(): readonly string[];
  gone(approvalIds: readonly string[]): void;
  /** The hub stands otherwise than before: `facts` has it. */
  changed?(): void;
  up(): void;
  down(why: string): void;
  /** The ledger isn't what this device remembers of it; undefined: it is, or is again. */
  ledger(alarm: string | undefined): void;
  /** It won't come back: the token was refused. */
  failed(error: unknown): void;
}

interface Connected {
  readonly client: GatewayClient;
  readonly hub: HttpHub;
  readonly hubDeviceId: string;
  signer: Promise<CardSigner> | undefined;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/**
 * A connection to the hub that comes back. Not by the client's own reconnection: before a token is sent again, `findHub`
 * must have seen that it is the home's hub that listens there (see `find-hub.ts`), perhaps at another port.
 */
export class HubLink {
  readonly #options: GlobalOptions;
  readonly #events: LinkEvents;
  #connected: Connected | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  /** One look at the ledger after the other. */
  #looking: Promise<void> = Promise.resolve();
  #closed = false;
  #slot: Slot | undefined;

  constructor(options: GlobalOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** The first connection; what fails here is the command's failure. */
  async open(): Promise<void> {
    await this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#connected?.client.disconnect();
    this.#connected = undefined;
    this.#slot?.release();
  }

  async decide(card: ExecApprovalRequestPayload, answer: PlainAnswer): Promise<AnswerResult> {
    const { client, hubDeviceId } = this.#need();
    const params = { approvalId: card.approvalId, ...(await (await this.#signer()).answer(card, answer)) };
    return await client.request(hubDeviceId, "resolveExecApproval", params);
  }

  /** One that has expired, for when it asks again. */
  async allowLate(card: ExecApprovalRequestPayload): Promise<void> {
    const { client, hubDeviceId } = this.#need();
    const params = { approvalId: card.approvalId, ...(await (await this.#signer()).late(card)) };
    await client.request(hubDeviceId, "allowIfAsksAgain", params);
  }

  /** The ways to allow it more than once, the narrowest first. */
  async scopes({ approvalId }: ExecApprovalRequestPayload): Promise<readonly ScopeOffer[]> {
    const { client, hubDeviceId } = this.#need();
    return (await client.request(hubDeviceId, "listScopes", { approvalId })).scopes;
  }

  /** What another command would do in its place. Nothing is run, nor recorded. */
  async explain({ cwd, env }: ExecApprovalRequestPayload, command: string): Promise<WireExplanation> {
    const body = { command, env, ...(cwd === undefined ? {} : { cwd }) };
    const call = { method: "POST", path: "/api/v1/explain", body } as const;
    return (await callHttp(this.#need().hub, call, explanationSchema)).value;
  }

  /** What it would do; takes as long as the command. */
  async preview(card: ExecApprovalRequestPayload, signal: AbortSignal): Promise<Preview> {
    const { client, hubDeviceId } = this.#need();
    const params = { approvalId: card.approvalId, ...(await (await this.#signer()).preview(card)) };
    return await client.request(hubDeviceId, "previewExec", params, { signal });
  }

  /** Ends one that runs. */
  async cancelPreview({ approvalId }: ExecApprovalRequestPayload): Promise<void> {
    const { client, hubDeviceId } = this.#need();
    await client.request(hubDeviceId, "cancelPreview", { approvalId });
  }

  /** The card with nothing hidden; the hub records that we looked. */
  async reveal({ approvalId }: ExecApprovalRequestPayload): Promise<ExecApprovalRequestPayload> {
    const { client, hubDeviceId } = this.#need();
    return await client.request(hubDeviceId, "revealExecApproval", { approvalId });
  }

  async pause(): Promise<void> {
    const { client, hubDeviceId } = this.#need();
    await client.request(hubDeviceId, "pause", {});
  }

  async resume(): Promise<void> {
    const { client, hubDeviceId } = this.#need();
    await client.request(hubDeviceId, "resume", {});
  }

  /** That a terminal shows what waits, and rings. Whoever may not answer isn't counted, and an older hub counts nobody. */
  async attend(): Promise<void> {
    const { client, hubDeviceId } = this.#need();
    await client.request(hubDeviceId, "attend", { where: "terminal", looking: true }).catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) throw cause;
    });
  }

  /** Undefined while there's no connection; a hub that doesn't answer counts as lost. */
  async facts(nowMs: number): Promise<HubFacts | undefined> {
    const connected = this.#connected;
    if (!connected) return undefined;
    const { client, hub, hubDeviceId } = connected;
    try {
      const [{ paused, today }, { agents }] = await Promise.all([
        readHubState(hub),
        client.request(hubDeviceId, "listAgents", {}),
      ]);
      const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
      const names = new Set(
        agents.filter(({ createdAtMs }) => createdAtMs >= midnight).map((agent) => agent.agentName),
      );
      const ranToday = [...STARTED_OUTCOMES].reduce((sum, kind) => sum + (today[kind] ?? 0), 0);
      return { paused, ranToday, agents: names.size };
    } catch (cause) {
      if (!(cause instanceof CliError || cause instanceof GatewayError)) throw cause;
      if (this.#connected === connected && cause.code === "UNREACHABLE") this.#lost(connected, cause.message);
      return undefined;
    }
  }

  /** The hub is told of the key when it is first used: whoever only looks needs none. */
  #signer(): Promise<CardSigner> {
    const connected = this.#need();
    connected.signer ??= signerFor(connected.hub, this.#options);
    connected.signer.catch(() => {
      connected.signer = undefined;
    });
    return connected.signer;
  }

  /** The same each time that this home's terminal comes, unless another one is open already. */
  #deviceIdFor(token: string): string | undefined {
    const homeDir = homeDirOf(this.#options);
    this.#slot ??= takeSlot(homeDir);
    const deviceId = this.#slot && deviceIdOf(homeDir, token);
    if (deviceId === undefined || this.#slot?.number === 1) return deviceId;
    return `${deviceId}.${this.#slot?.number}`;
  }

  async #connect(): Promise<void> {
    const hub = await findHub(this.#options);
    const deviceId = this.#deviceIdFor(hub.token);
    const client = new GatewayClient({
      url: `${hub.url.replace(/^http/, "ws")}/ws`,
      token: hub.token,
      deviceType: "client",
      ...(deviceId === undefined ? {} : { deviceId }),
    });
    client.onMessage((message) => this.#hear(message, client));
    const { hubDeviceId } = await client.connect().catch((cause: unknown) => {
      throw asCliError(cause, hub.url);
    });
    if (this.#closed) return client.disconnect();
    const connected: Connected = { client, hub, hubDeviceId, signer: undefined };
    this.#connected = connected;
    client.onStateChange((state, cause) => {
      if (state === "connected" || this.#connected !== connected) return;
      if (state === "closed" && cause?.code === "UNAUTHORIZED") this.#fail(asCliError(cause, hub.url));
      else this.#lost(connected, "The connection to the hub was lost.");
    });
    // It may have been lost before anybody listened.
    if (client.state !== "connected") return this.#lost(connected, "The connection to the hub was lost.");
    this.#tries = 0;
    this.#events.up();
    this.#followState(connected);
    this.#look(connected);
    await this.#findGone(connected);
  }

  #hear({ action, payload, from }: Envelope, client: GatewayClient): void {
    if (from !== client.hubDeviceId || this.#closed) return;
    if (action === ExecApprovalRequestAction) {
      const card = execApprovalRequestSchema.safeParse(payload);
      if (card.success) this.#events.asked(card.data);
    } else if (action === ExecApprovalCountedAction) {
      const counted = approvalCountedSchema.safeParse(payload);
      if (counted.success) this.#events.counted?.(counted.data);
    } else if (action === ExecApprovalResolvedAction || action === ExecApprovalExpiredAction) {
      const closed = approvalClosedSchema.safeParse(payload);
      if (closed.success) this.#events.closed(closed.data, action === ExecApprovalExpiredAction);
    } else if (action === HubStateAction) this.#events.changed?.();
    else if (action === LedgerCheckpointAction && this.#connected?.client === client) this.#look(this.#connected);
  }

  /** One that is older doesn't tell, and is asked now and then. */
  #followState({ client, hubDeviceId }: Connected): void {
    if (!this.#events.changed) return;
    client.request(hubDeviceId, "followState", {}).catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) this.#fail(cause);
    });
  }

  /** What the event says doesn't matter: the newest is asked for, after what is remembered was read. */
  #look(connected: Connected): void {
    this.#looking = this.#looking.then(async () => {
      if (this.#connected !== connected) return;
      try {
        const memory = { file: memoryFile(homeDirOf(this.#options)), token: connected.hub.token };
        const seen = await witnessHub(ledgerOf(connected), memory);
        if (!this.#closed) this.#events.ledger(seen.kind === "alarm" ? alarmText(seen) : undefined);
      } catch (cause) {
        // Lost, or a hub that can't tell yet: the next one is looked at. What can't be read of our own is told.
        if (cause instanceof CliError && !this.#closed) this.#events.ledger(cause.message);
        else if (!(cause instanceof GatewayError)) throw cause;
      }
    });
    this.#looking.catch((cause: unknown) => this.#fail(cause));
  }

  /** What was settled while the connection was away isn't told afterwards. */
  async #findGone({ client, hubDeviceId }: Connected): Promise<void> {
    const before = this.#events.known();
    if (before.length === 0) return;
    try {
      const open = new Set<string>();
      for (let after: string | undefined; ; ) {
        const page = await client.request(hubDeviceId, "listExecApprovals", after === undefined ? {} : { after });
        for (const { approvalId } of page.approvals) open.add(approvalId);
        after = page.next;
        if (after === undefined) break;
      }
      this.#events.gone(before.filter((id) => !open.has(id)));
    } catch (cause) {
      // Lost again: the next connection asks again.
      if (!(cause instanceof GatewayError)) throw cause;
    }
  }

  #lost({ client }: Connected, why: string): void {
    this.#connected = undefined;
    client.disconnect();
    if (this.#closed) return;
    this.#events.down(why);
    this.#tryAgainLater();
  }

  /** Each wait up to twice as long as the one before, and anywhere below that: not all come back at once. */
  #tryAgainLater(): void {
    const ceilingMs = Math.min(FIRST_WAIT_MS * 2 ** this.#tries, LONGEST_WAIT_MS);
    this.#tries += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(
      () => {
        this.#connect().catch((cause: unknown) => {
          if (this.#closed) return;
          if (!(cause instanceof CliError)) throw cause;
          if (cause.code === "UNAUTHORIZED") return this.#fail(cause);
          this.#events.down(cause.code === "NO_HUB" ? "The hub is gone." : "The hub doesn't answer.");
          this.#tryAgainLater();
        });
      },
      ceilingMs * (0.5 + Math.random() / 2),
    );
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.close();
    this.#events.failed(error);
  }

  #need(): Connected {
    if (this.#connected) return this.#connected;
    throw new GatewayError("DISCONNECTED", "There's no connection to the hub.");
  }
}

function ledgerOf({ client, hubDeviceId }: Connected): ShownLedger {
  return {
    async checkpoint() {
      try {
        return await client.request(hubDeviceId, "getCheckpoint", {});
      } catch (cause) {
        if (cause instanceof GatewayError && cause.code === "NOT_FOUND") return null;
        throw cause;
      }
    },
    prove: async (sizes) => (await client.request(hubDeviceId, "proveConsistency", sizes)).proof,
  };
}

function asCliError(cause: unknown, url: string): CliError {
  if (!(cause instanceof GatewayError)) throw cause;
  if (cause.code === "UNAUTHORIZED") {
    const said = cause.cause instanceof GatewayError ? ` (${cause.cause.message})` : "";
    const message = `The hub doesn't take this token here${said}. \`watch\` needs an approver's: check COUNTERSIGN_TOKEN.`;
    return new CliError("UNAUTHORIZED", message, { cause });
  }
  const code: CliErrorCode = cause.code === "INVALID_RESPONSE" ? "BAD_ANSWER" : "UNREACHABLE";
  return new CliError(code, `The hub at ${url} can't be reached (${cause.message}). Check that it runs.`, { cause });
}
