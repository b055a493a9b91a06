import { connect } from "node:net";
import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import { Backoff } from "@countersign/protocol/wire";
import { type KeptDraft, type LedgerDraft, type Mirror, StoreError } from "@countersign/store";
import { BATCH_ROWS, batchOf, type FromHub, type FromRecorder, fromRecorderSchema, WIRE_VERSION } from "./hub-wire.ts";
import { MessageSocket } from "./message-socket.ts";
import { isProof, newNonce, proofOf, type RecorderPairing } from "./pairing.ts";

/** Short: nothing happens meanwhile, and asking a socket of this machine costs nothing. */
const BACKOFF = { minMs: 50, maxMs: 2_000 };

type Answer = Extract<FromRecorder, { readonly id: number }>;
type Welcome = Extract<FromRecorder, { t: "welcome" }>;

/** One connection's state. */
interface Session {
  readonly messages: MessageSocket;
  readonly nonces: { recorder: string; hub: string };
  readonly upAtMs: number;
  /** Until the recorder has shown who it is. */
  readonly login: Timer;
  /** How far its ledger went when it did; undefined before. */
  target: number | undefined;
  /** Drafts that it was sent and hasn't answered. */
  sent: { readonly id: number; readonly overdue: Timer } | undefined;
  /** Somebody waits for the key to be changed; `seq`: it is, by this receipt. */
  rotating:
    | (PromiseWithResolvers<number> & { readonly id: number; readonly overdue: Timer; seq: number | undefined })
    | undefined;
}

/**
 * The hub's connection to a recorder in another process, which comes back until it is closed. It delivers what the hub puts on record, in order
 * and one batch at a time, and takes every receipt into the mirror. While it is down, the outbox says why.
 */
export class RecorderLink {
  /** Of the recorder's socket. */
  readonly #path: string;
  readonly #pairing: RecorderPairing;
  readonly #mirror: Mirror;
  readonly #clock: Clock;
  readonly #limits: Pick<Limits, "loginMs" | "recorderWaitMs">;
  readonly #log: Log;
  readonly #backoff = new Backoff(BACKOFF);
  readonly #tried = Promise.withResolvers<void>();
  #session: Session | undefined;
  #retry: Timer | undefined;
  #sentId = 0;
  #logged: string | undefined;
  #isClosed = false;

  constructor({
    path,
    pairing,
    mirror,
    clock,
    limits,
    log,
  }: {
    readonly path: string;
    readonly pairing: RecorderPairing;
    readonly mirror: Mirror;
    readonly clock: Clock;
    readonly limits: Pick<Limits, "loginMs" | "recorderWaitMs">;
    readonly log: Log;
  }) {
    this.#path = path;
    this.#pairing = pairing;
    this.#mirror = mirror;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#down(new StoreError("RECORDER_DOWN", "The recorder hasn't been reached yet."));
    mirror.outbox.onPut(() => this.#deliver());
    mirror.askToRotate = (body) => this.#rotate(body);
    this.#open();
  }

  /** When the recorder is there and the mirror has all of it, or the first attempt has failed. */
  tried(): Promise<void> {
    return this.#tried.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#session?.messages.end();
    this.#session = undefined;
  }

  #down(problem: StoreError): void {
    this.#mirror.outbox.problem = problem;
  }

  #open(): void {
    const messages = new MessageSocket(connect(this.#path), {
      message: (message) => this.#take(session, message),
      closed: (cause) => this.#lost(session, cause),
    });
    const late = () => messages.abort(new Error("it doesn't answer"));
    const session: Session = {
      ...{ messages, nonces: { recorder: "", hub: newNonce() }, upAtMs: this.#clock.monotonicMs() },
      ...{
        login: this.#clock.after(this.#limits.loginMs, late),
        target: undefined,
        sent: undefined,
        rotating: undefined,
      },
    };
    this.#session = session;
  }

  async #take(session: Session, raw: unknown): Promise<void> {
    const message = fromRecorderSchema.parse(raw);
    const isIn = session.target !== undefined;
    if (message.t === "refused") throw refused(message);
    if (message.t === "challenge" && !isIn) return await this.#hello(session, message);
    if (message.t === "welcome" && !isIn) return this.#welcome(session, message);
    if (!isIn) throw new Error(`${message.t} before a welcome`);
    if (message.t === "receipts") return await this.#keep(session, message.rows);
    if ("id" in message) return this.#answered(session, message);
    throw new Error(`${message.t} after the welcome`);
  }

  async #hello(session: Session, { v, nonce }: Extract<FromRecorder, { t: "challenge" }>): Promise<void> {
    if (v !== WIRE_VERSION)
      throw new StoreError("RECORDER_REFUSED", `The recorder speaks version ${v} and this hub ${WIRE_VERSION}.`);
    session.nonces.recorder = nonce;
    const proof = proofOf("hub", this.#pairing.secret, session.nonces);
    const hello: FromHub = { t: "hello", v: WIRE_VERSION, nonce: session.nonces.hub, proof, have: this.#mirror.head() };
    await session.messages.send(hello);
  }

  #welcome(session: Session, { proof, head, yours }: Welcome): void {
    if (!isProof(proof, proofOf("recorder", this.#pairing.secret, session.nonces)))
      throw new StoreError("RECORDER_REFUSED", `What listens on ${this.#path} doesn't know the pairing's secret.`);
    session.login.cancel();
    const have = this.#mirror.head();
    if (have && yours !== have.hash) throw rolledBack(have.seq, head?.seq ?? 0);
    session.target = head?.seq ?? 0;
    this.#caughtUp(session);
  }

  async #keep(session: Session, rows: Extract<FromRecorder, { t: "receipts" }>["rows"]): Promise<void> {
    await this.#mirror.take(rows);
    this.#tellRotated(session);
    this.#caughtUp(session);
  }

  /** Up once the mirror has all that the recorder had: before that, nothing would be confirmed in time. */
  #caughtUp(session: Session): void {
    const { outbox } = this.#mirror;
    if (outbox.problem === undefined || session.target === undefined) return;
    const seq = this.#mirror.head()?.seq ?? 0;
    if (seq < session.target) {
      return this.#down(
        new StoreError("RECORDER_DOWN", `The hub is catching up: ${seq} of ${session.target} receipts.`),
      );
    }
    outbox.problem = undefined;
    this.#logged = undefined;
    this.#tried.resolve();
    this.#log.info({ receipts: seq, waiting: outbox.size }, "the recorder is connected");
    this.#deliver();
  }

  #deliver(): void {
    const session = this.#session;
    const { outbox } = this.#mirror;
    if (!session || session.sent || outbox.problem) return;
    const drafts = batchOf(outbox.oldest(BATCH_ROWS), draftBytes);
    if (drafts.length === 0) return;
    this.#sentId += 1;
    const overdue = this.#clock.after(this.#limits.recorderWaitMs, () =>
      session.messages.abort(new Error("it didn't answer in time")),
    );
    session.sent = { id: this.#sentId, overdue };
    const append: FromHub = { t: "append", id: this.#sentId, drafts: [...drafts] };
    void session.messages.send(append);
  }

  /** Its receipts may come before or after: only they take something out of the outbox. */
  #answered(session: Session, answer: Answer): void {
    if (answer.id === session.rotating?.id) return this.#rotated(session, answer);
    if (answer.id !== session.sent?.id) throw new Error("an answer to nothing");
    session.sent.overdue.cancel();
    if (answer.t === "failed") {
      const told = `The recorder could not put it on record: ${answer.code} (${answer.message})`;
      throw new StoreError("RECORDER_DOWN", told);
    }
    session.sent = undefined;
    this.#deliver();
  }

  /** Resolves with the receipt's number, once the mirror has it. */
  #rotate(body: LedgerDraft["body"]): Promise<number> {
    const session = this.#session;
    if (!session || this.#mirror.outbox.problem) return Promise.reject(this.#mirror.outbox.problem);
    if (session.rotating) return Promise.reject(new StoreError("BUSY", "The key is being changed already."));
    const asked = Promise.withResolvers<number>();
    const late = () => session.messages.abort(new Error("it didn't answer in time"));
    const overdue = this.#clock.after(this.#limits.recorderWaitMs, late);
    this.#sentId += 1;
    session.rotating = { ...asked, id: this.#sentId, overdue, seq: undefined };
    const rotate: FromHub = { t: "rotate", id: this.#sentId, body };
    void session.messages.send(rotate);
    return asked.promise;
  }

  #rotated(session: Session, answer: Answer): void {
    const asked = session.rotating;
    if (answer.t === "rotated" && asked) {
      asked.seq = answer.seq;
      return this.#tellRotated(session);
    }
    session.rotating = undefined;
    asked?.overdue.cancel();
    const [code, message] = answer.t === "failed" ? [answer.code, answer.message] : ["", "an answer to something else"];
    asked?.reject(new StoreError(code === "NO_NEXT_KEY" || code === "BUSY" ? code : "FAILED", message));
  }

  #tellRotated(session: Session): void {
    const { rotating } = session;
    if (rotating?.seq === undefined || (this.#mirror.head()?.seq ?? 0) < rotating.seq) return;
    session.rotating = undefined;
    rotating.overdue.cancel();
    rotating.resolve(rotating.seq);
  }

  #lost(session: Session, cause: unknown): void {
    session.login.cancel();
    session.sent?.overdue.cancel();
    session.rotating?.overdue.cancel();
    const unknown = "The recorder went away meanwhile: whether the key was changed shows when it is back.";
    session.rotating?.reject(new StoreError("UNCONFIRMED", unknown));
    this.#session = undefined;
    const problem = problemOf(cause, this.#path);
    this.#down(problem);
    this.#tried.resolve();
    if (this.#isClosed) return;
    // Once: it is tried again every other second.
    if (this.#logged !== problem.message) this.#log.error({ code: problem.code, err: cause }, problem.message);
    this.#logged = problem.message;
    const upForMs = session.target === undefined ? 0 : this.#clock.monotonicMs() - session.upAtMs;
    this.#retry = this.#clock.after(this.#backoff.nextMs(upForMs), () => this.#open());
  }
}

function draftBytes({ draft }: KeptDraft): number {
  return JSON.stringify(draft).length;
}

type Refused = Extract<FromRecorder, { t: "refused" }>;

const REMEDIES: Partial<Record<Refused["code"], string>> = {
  WRONG_USER: "Pair it with the user that this hub runs as (`countersign recorder pair --hub-user`).",
  WRONG_SECRET: "Pair them again (`countersign recorder pair`, then `countersign recorder join`).",
  OTHER_HUB: "Stop the other hub first: a recorder has one.",
};

function refused({ code, message }: Refused): StoreError {
  const told = `The recorder doesn't take this hub: ${code} (${message}) ${REMEDIES[code] ?? ""}`.trim();
  return new StoreError("RECORDER_REFUSED", told);
}

function rolledBack(have: number, theirs: number): StoreError {
  const what = theirs < have ? `has ${theirs} receipts` : "has another history";
  const remedy = "Put its newest backup in place, or a copy of this hub's database, which has all of them";
  return new StoreError(
    "RECORDER_ROLLED_BACK",
    `The recorder ${what}, and the hub has seen ${have}: it was cut or replaced by an older copy. ${remedy}.`,
  );
}

/** Of a connection that has ended. */
function problemOf(cause: unknown, path: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const why = cause === undefined ? "it has closed the connection" : String((cause as Error).message ?? cause);
  const told = `The recorder isn't there on ${path} (${why.slice(0, 300)}). Start it: \`countersign recorder\`.`;
  return new StoreError("RECORDER_DOWN", told, { cause });
}
