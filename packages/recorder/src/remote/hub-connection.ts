import type { Socket } from "node:net";
import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import { type LedgerDraft, type LedgerHead, type Store, StoreError, type Write } from "@countersign/store";
import type * as z from "zod";
import type { Backpressure } from "../frames/index.ts";
import {
  BATCH_ROWS,
  batchOf,
  type FromRecorder,
  fromHubSchema,
  type HubRefusal,
  helloSchema,
  rowBytes,
  WIRE_VERSION,
} from "./hub-wire.ts";
import { MessageSocket } from "./message-socket.ts";
import { type HubPairing, isProof, newNonce, proofOf } from "./pairing.ts";

/** How long a hub may take to read the last receipts. */
const LINGER_MS = 2_000;

/** A connection of the hub's user: at first a stranger, and the hub once it has shown that it knows the secret. */
export class HubConnection {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Pick<Limits, "loginMs" | "recorderWaitMs">;
  readonly #log: Log;
  readonly #pairing: HubPairing;
  readonly #backpressure: Backpressure;
  /** Changes the key, and has the new one sign a checkpoint; the receipt's number. */
  readonly #rotate: (body: LedgerDraft["body"]) => Promise<number>;
  /** Whether another connection is the hub's already. */
  readonly #isTaken: () => boolean;
  readonly #onRefused: (code: HubRefusal, why: string) => void;
  readonly #messages: MessageSocket;
  readonly #nonce = newNonce();
  readonly #login: Timer;
  readonly #closed = Promise.withResolvers<void>();
  isHub = false;
  #isStopping = false;
  /** The last receipt that was sent. */
  #sentSeq = 0;
  #sending: Promise<void> | undefined;
  #hasMore = false;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(
    socket: Socket,
    {
      store,
      clock,
      limits,
      log,
      pairing,
      backpressure,
      rotate,
      isTaken,
      onRefused,
    }: {
      readonly store: Store;
      readonly clock: Clock;
      readonly limits: Pick<Limits, "loginMs" | "recorderWaitMs">;
      readonly log: Log;
      readonly pairing: HubPairing;
      readonly backpressure: Backpressure;
      readonly rotate: (body: LedgerDraft["body"]) => Promise<number>;
      readonly isTaken: () => boolean;
      readonly onRefused: (code: HubRefusal, why: string) => void;
    },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#pairing = pairing;
    this.#backpressure = backpressure;
    this.#rotate = rotate;
    this.#isTaken = isTaken;
    this.#onRefused = onRefused;
    this.#messages = new MessageSocket(socket, {
      message: (message) => (this.isHub ? this.#take(message) : this.#greet(message)),
      closed: (cause) => this.#end(cause),
    });
    this.#login = clock.after(limits.loginMs, () => this.#refuse("BAD_MESSAGE", "nothing came in time"));
    void this.#messages.send({ t: "challenge", v: WIRE_VERSION, nonce: this.#nonce });
  }

  /** The ledger has grown. */
  follow(): void {
    if (!this.isHub) return;
    this.#hasMore = true;
    // Where the store can't answer, whoever sends hears of it.
    void this.#tellPace(0).catch(() => undefined);
    this.#sending ??= this.#send()
      .catch((cause) => this.#messages.abort(cause))
      .finally(() => {
        this.#sending = undefined;
        if (this.#hasMore && this.#messages.isOpen) this.follow();
      });
  }

  /** What comes from now on is left to be delivered again; what came before is on record when this resolves. */
  async stopTaking(): Promise<void> {
    this.#isStopping = true;
    await this.#underWay;
  }

  /** Sends what is on record, and closes. */
  async finish(): Promise<void> {
    const late = setTimeout(() => this.#messages.abort(new Error("the hub doesn't read")), LINGER_MS);
    this.follow();
    await Promise.race([this.#sending, this.#closed.promise]);
    this.#messages.end();
    await this.#closed.promise;
    clearTimeout(late);
  }

  async #greet(message: unknown): Promise<void> {
    const v = (message as { readonly v?: unknown } | null)?.v;
    if (v !== WIRE_VERSION) return this.#refuse("UNKNOWN_VERSION", `version ${WIRE_VERSION} is spoken here`);
    const reading = helloSchema.safeParse(message);
    if (!reading.success) return this.#refuse("BAD_MESSAGE", "what came first is no hello");
    const { nonce, proof, have } = reading.data;
    const nonces = { recorder: this.#nonce, hub: nonce };
    if (!isProof(proof, proofOf("hub", this.#pairing.secret, nonces)))
      return this.#refuse("WRONG_SECRET", "it doesn't know the pairing's secret");
    if (this.#isTaken()) return this.#refuse("OTHER_HUB", "a hub is connected already");
    this.#login.cancel();
    this.isHub = true;
    const [head, yours] = await Promise.all([
      this.#store.ledgerHead(),
      have && this.#store.receiptBy({ seq: have.seq }),
    ]);
    if (have) this.#compare(have, head, yours ?? null);
    this.#log.info({ have: have?.seq ?? 0, head: head?.seq ?? 0 }, "the hub is connected");
    this.#sentSeq = have?.seq ?? 0;
    const own = proofOf("recorder", this.#pairing.secret, nonces);
    await this.#messages.send({ t: "welcome", proof: own, head, yours: yours?.hash ?? null });
    this.follow();
  }

  /** The hub finds out by itself; whoever looks after this side is to know too. */
  #compare(have: LedgerHead, head: LedgerHead | null, yours: LedgerHead | null): void {
    if (yours?.hash === have.hash) return;
    const why = yours === null ? "fewer receipts than the hub has seen" : "another history than the hub has seen";
    this.#log.error({ have, head }, `this ledger has ${why}: it was cut, or replaced by an older copy`);
  }

  async #take(message: unknown): Promise<void> {
    const reading = fromHubSchema.safeParse(message);
    if (!reading.success) return this.#refuse("BAD_MESSAGE", "what came is none of a hub's messages");
    if (this.#isStopping) return;
    const { id } = reading.data;
    const answer = this.#do(reading.data);
    this.#underWay = answer.catch(() => undefined);
    try {
      await this.#messages.send(await answer);
    } catch (cause) {
      this.#log.error({ err: cause }, "what the hub told could not be recorded");
      const code = cause instanceof StoreError ? cause.code : "FAILED";
      await this.#messages.send({ t: "failed", id, code, message: String(cause).slice(0, 2_000) });
    }
  }

  async #do(message: z.infer<typeof fromHubSchema>): Promise<FromRecorder> {
    const { id } = message;
    if (message.t === "rotate") return { t: "rotated", id, seq: await this.#rotate(message.body) };
    await this.#store.commit(message.drafts.map(({ key, draft }): Write => ({ op: "append", draft, key })));
    return { t: "appended", id };
  }

  async #send(): Promise<void> {
    while (this.#hasMore && this.#messages.isOpen) {
      this.#hasMore = false;
      const page = await this.#store.ledgerRows({ afterSeq: this.#sentSeq, limit: BATCH_ROWS });
      if (page.length === 0) continue;
      this.#hasMore = true;
      const rows = batchOf(page, rowBytes);
      this.#sentSeq = rows.at(-1)?.seq ?? this.#sentSeq;
      await this.#sendInTime({ t: "receipts", rows: [...rows] });
      await this.#tellPace(rows.length);
    }
  }

  /** Emitters wait for a hub that is behind, and so not for one that has stopped to read. */
  async #sendInTime(message: FromRecorder): Promise<void> {
    const late = () => this.#messages.abort(new Error("the hub doesn't read"));
    const overdue = this.#clock.after(this.#limits.recorderWaitMs, late);
    await this.#messages.send(message);
    overdue.cancel();
  }

  async #tellPace(sent: number): Promise<void> {
    const head = await this.#store.ledgerHead();
    if (this.isHub) this.#backpressure.hub({ behind: (head?.seq ?? 0) - this.#sentSeq, sent });
  }

  #refuse(code: HubRefusal, why: string): void {
    this.#onRefused(code, why);
    void this.#messages.send({ t: "refused", code, message: `Refused: ${why}.` });
    this.#messages.end();
  }

  #end(cause: unknown): void {
    this.#login.cancel();
    this.#closed.resolve();
    if (this.isHub) this.#backpressure.hub(undefined);
    if (!this.isHub && cause !== undefined) this.#onRefused("BAD_MESSAGE", "what came is none of a hub's messages");
    else if (this.isHub) this.#log.warn(cause === undefined ? {} : { err: cause }, "the hub's connection has ended");
    this.isHub = false;
  }
}
