import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DirectoryLock, FrameLog, lockDirectory, type OpenedLog } from "../disk/index.ts";
import type { Log } from "../errors/index.ts";
import { DropAccount } from "./drop-account.ts";
import type { FrameSink, UntoldCall } from "./frame.ts";
import { FrameQueue, type Waiting } from "./frame-queue.ts";
import { journalEntry, readJournalEntry } from "./journal-entry.ts";
import { DELIVERY_LIMITS, type DeliveryLimits } from "./limits.ts";
import { type BatchResult, RelayClient, readBundleOf } from "./relay-client.ts";

export interface DeliveryOptions {
  /** `https://host:44780` */
  readonly relay: URL;
  /** The file of `ca issue`. It is read again when it changes. */
  readonly bundle: string;
  readonly sandboxId: string;
  /** A directory of its own, where frames wait and drops are counted. */
  readonly state: string;
  readonly log: Log;
  readonly limits?: Partial<DeliveryLimits>;
}

export interface DeliveryState {
  readonly waiting: number;
  /** Since the start. */
  readonly delivered: number;
  /** Not told yet, also from before the start. */
  readonly dropped: number;
}

/** As the relay takes it. */
const LONGEST_KEY = 110;

/** Throws CaError, DirectoryError, and what the disk throws: a proxy that can't keep its record says so before it begins. */
export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  readBundleOf(options.bundle, options.sandboxId);
  const limits = { ...DELIVERY_LIMITS, ...options.limits };
  const { relay: url, bundle, sandboxId, state, log } = options;
  const client = () => new RelayClient({ url, bundle, sandboxId, limits });
  return await openDeliveryBy({ client, state, whose: "proxy", limits, log });
}

interface DeliveryBy {
  readonly client: () => FrameClient;
  readonly state: string;
  readonly whose: "proxy" | "observer";
  readonly limits: DeliveryLimits;
  readonly log: Log;
}

/** By any way. Throws DirectoryError, and what the disk throws. */
export async function openDeliveryBy({ client, state, whose, limits, log }: DeliveryBy): Promise<Delivery> {
  const { Backoff } = await import("@countersign/protocol");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(state, whose);
  try {
    const account = DropAccount.open(join(state, "drops"));
    const opened = FrameLog.open(state, "process");
    const left = takeOver(account, opened, log);
    const backoff = new Backoff({ minMs: limits.backoffMinMs, maxMs: limits.backoffMaxMs });
    return new Delivery({ lock, account, journal: opened.log, client: client(), backoff, limits, log }, left);
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** What a proxy before this one has left to deliver. What it lost is counted, and told by the next frame. */
function takeOver(account: DropAccount, { log: journal, entries, damaged }: OpenedLog, log: Log): readonly Waiting[] {
  const read = entries.map(({ number, content }) => ({ number, wasSent: true, ...readJournalEntry(content) }));
  const told = read.filter(({ isLastWord }) => isLastWord).map(({ number }) => number);
  const lost = damaged.flatMap((file) => file.lost);
  const { untold, unreadable } = account.takeOver({ last: journal.last, told, lost });
  for (const { path, lost: those } of damaged)
    log.error({ path, frames: those.length }, "a file of the journal is damaged: frames are lost");
  if (untold + unreadable > 0)
    log.warn({ untold, unreadable }, "the process before this one left some untold: they count as dropped");
  return read.filter(({ number }) => number > account.settled);
}

/** How frames get where they go, in order. */
export interface FrameClient {
  /** Lines of JSON. Never rejects. */
  post(lines: readonly Buffer[]): Promise<BatchResult>;
  close(): void;
}

/** What of a frame matters here. */
interface Deliverable {
  readonly idempotency_key: string;
  readonly action_type: string;
}

interface OpenedDelivery {
  readonly lock: DirectoryLock;
  readonly account: DropAccount;
  readonly journal: FrameLog;
  readonly client: FrameClient;
  readonly backoff: { nextMs(upForMs?: number): number };
  readonly limits: DeliveryLimits;
  readonly log: Log;
}

/**
 * Takes frames from the agent's path to the relay. Each is in the journal before `emit` returns, so that a killed proxy's frames go when it is
 * back; each is delivered, or counted as dropped, once. A call that is under way when it is killed is counted too. Only what can't have been heard is counted: what there is no room for, and what is refused
 * for good. What may have been heard is sent again under its key until there is an answer.
 */
export class Delivery implements FrameSink {
  readonly #lock: DirectoryLock;
  readonly #account: DropAccount;
  readonly #journal: FrameLog;
  readonly #client: FrameClient;
  readonly #backoff: { nextMs(upForMs?: number): number };
  readonly #limits: DeliveryLimits;
  readonly #log: Log;
  readonly #queue: FrameQueue;
  #delivered = 0;
  #isDraining = false;
  #running: Promise<void> | undefined;
  #batchFrames: number;
  #problem: string | undefined;
  readonly #hasTold = new Set<string>();
  readonly #stop = new AbortController();

  constructor(options: OpenedDelivery, left: readonly Waiting[]) {
    this.#lock = options.lock;
    this.#account = options.account;
    this.#journal = options.journal;
    this.#client = options.client;
    this.#backoff = options.backoff;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#queue = new FrameQueue(options.limits, left);
    this.#batchFrames = options.limits.batchFrames;
    const carrier = options.account.carrier?.key;
    if (carrier !== undefined && !left.some(({ key }) => key === carrier)) options.account.forgetCarrier();
    this.#run();
  }

  get state(): DeliveryState {
    return { waiting: this.#queue.length, delivered: this.#delivered, dropped: this.#account.dropped };
  }

  begin(): UntoldCall & { tell(frames: readonly Deliverable[]): void } {
    this.#account.begin();
    let isTold = false;
    return {
      tell: (frames: readonly Deliverable[]) => {
        if (isTold) return;
        isTold = true;
        if (frames.length === 0) this.#account.forget();
        for (const [index, frame] of frames.entries()) this.#take(frame, index === frames.length - 1);
      },
    };
  }

  emit(frame: Deliverable): void {
    this.#take(frame, false);
  }

  /** How many calls have come to their end: told, or counted as dropped. */
  get ended(): number {
    return this.#account.ended;
  }

  /** Calls of which nobody here knew, and that are over. */
  dropUnseen(count: number): void {
    this.#account.dropUnseen(count);
  }

  /** Things of which nobody could tell, and that are no calls. */
  dropOthers(count: number): void {
    this.#account.dropOthers(count);
  }

  /** How much of the queue is taken, from 0 to 1. */
  get fullness(): number {
    return this.#queue.length / this.#limits.queueFrames;
  }

  #take(frame: Deliverable, isLastWord: boolean): void {
    const json = textOf(frame);
    const refusal = json instanceof Error ? "INVALID_FRAME" : this.#refusalOf(frame, json);
    if (json instanceof Error || refusal !== undefined) {
      this.#account.drop(isLastWord);
      return this.#tellOnce(refusal ?? "", { code: refusal, ...(json instanceof Error ? { err: json } : {}) });
    }
    const number = this.#append(json, isLastWord);
    this.#queue.push({ key: frame.idempotency_key, json, number, isLastWord, wasSent: false });
    this.#run();
  }

  #refusalOf(frame: Deliverable, json: string): string | undefined {
    if (this.#isDraining) return "DRAINING";
    if (frame.idempotency_key.length > LONGEST_KEY) return "INVALID_FRAME";
    if (Buffer.byteLength(json) > this.#limits.frameBytes) return "FRAME_TOO_LONG";
    return this.#queue.hasRoom(frame.action_type, json.length) ? undefined : "QUEUE_FULL";
  }

  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true;
    const late = setTimeout(() => {
      this.#stop.abort();
      this.#client.close();
    }, deadlineMs);
    while (this.#running) await this.#running;
    clearTimeout(late);
    this.#stop.abort();
    this.#client.close();
    const { waiting } = this.state;
    if (waiting > 0) this.#log.warn({ waiting }, "frames that couldn't be delivered wait on disk for the next start");
    await this.#journal.close();
    // It stays open: what is still emitted is counted.
    await this.#account.sync().catch((cause: unknown) => this.#tellOnce("DISK", { err: cause }));
    this.#lock.release();
  }

  #append(json: string, isLastWord: boolean): number | undefined {
    try {
      const number = this.#journal.append(journalEntry(json, isLastWord));
      if (isLastWord) this.#account.told(number);
      return number;
    } catch (cause) {
      this.#tellOnce("JOURNAL", { err: cause });
      return undefined;
    }
  }

  #tellOnce(code: string, fields: object): void {
    if (this.#hasTold.has(code)) return;
    this.#hasTold.add(code);
    this.#log.warn(fields, "a frame is dropped, or isn't safe on disk; the next ones aren't told");
  }

  #run(): void {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = undefined;
      if (this.#queue.length > 0 && !this.#stop.signal.aborted) this.#run();
    });
  }

  async #deliver(): Promise<void> {
    // What is emitted in the same turn goes in the same request.
    await Promise.resolve();
    while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
      const waitMs = await this.#deliverBatch().catch((cause: unknown) => {
        this.#tellOnce("UNFORESEEN", { err: cause });
        return this.#backoff.nextMs();
      });
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  /** How long to wait before the next one. */
  async #deliverBatch(): Promise<number> {
    const batch = this.#queue.oldest(this.#batchFrames, this.#limits.batchBytes);
    const lines = await this.#linesOf(batch);
    const result = lines === undefined ? undefined : await this.#client.post(lines);
    const settled = result === undefined ? 0 : this.#settle(batch, result);
    if (settled > 0) this.#batchFrames = this.#limits.batchFrames;
    else if (result?.problem === "BODY_TOO_LONG" || result?.problem === "TOO_MANY_LINES") this.#batchFrames = 1;
    const isWhole = settled === batch.length;
    this.#tellState(isWhole ? undefined : (result?.problem ?? "the disk doesn't take the count"));
    if (isWhole) return 0;
    return result?.retryAfterMs ?? this.#backoff.nextMs(settled > 0 ? this.#limits.backoffMaxMs : 0);
  }

  /**
   * One that nobody can have heard yet tells of what was dropped. Which one that is, and of how many, is on disk before it goes: it is then told
   * once, whatever happens.
   */
  async #linesOf(batch: readonly Waiting[]): Promise<Buffer[] | undefined> {
    const fresh = batch.find(({ wasSent }) => !wasSent);
    if (this.#account.carrier === null && this.#account.dropped > 0 && fresh) this.#account.carry(fresh.key);
    const { carrier } = this.#account;
    if (carrier !== null) {
      try {
        await this.#account.sync();
      } catch {
        // `problem` says it; without it nothing is sent that couldn't be told apart later.
        return undefined;
      }
    }
    return batch.map((waiting) => {
      const { key, json } = waiting;
      waiting.wasSent = true;
      const told = key === carrier?.key ? `${json.slice(0, -1)},"drop_count":${carrier.count}}` : json;
      return Buffer.from(`${told}\n`);
    });
  }

  /** How many, from the first on, are dealt with. */
  #settle(batch: readonly Waiting[], { results }: BatchResult): number {
    const again = results.indexOf("again");
    const done = batch.slice(0, again === -1 ? batch.length : again);
    for (const [index, waiting] of done.entries()) {
      const isTaken = results[index] === "taken";
      this.#account.settle(waiting.key, isTaken ? "delivered" : "dropped", waiting);
      this.#delivered += isTaken ? 1 : 0;
    }
    this.#queue.settle(done.length);
    const last = done.findLast(({ number }) => number !== undefined)?.number;
    if (last !== undefined) this.#cleanJournal(last);
    return done.length;
  }

  #cleanJournal(settled: number): void {
    try {
      this.#journal.settle(settled);
    } catch (cause) {
      // What is settled stands in the account; here it only takes room.
      this.#tellOnce("JOURNAL", { err: cause });
    }
  }

  #tellState(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem === undefined) this.#log.info({}, "frames are delivered again");
    else this.#log.warn({ problem, waiting: this.#queue.length }, "frames can't be delivered; they wait");
  }
}

/** What can't be written as JSON is an error. */
function textOf(frame: Deliverable): string | Error {
  try {
    return JSON.stringify(frame);
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}
