import type { ReceiptHead } from "@countersign/receipts";
import { type FrameRecord, type KeysInForce, type Recorded, StoreError } from "../../ledger/index.ts";
import { asInvalid, type LinkedReceipt, placeRow, rowOf, type Statements, translateError } from "../base/index.ts";
import type { GroupCommit, Progress } from "../commit/index.ts";
import { beginningOf, chainIdOf, headOf, type Origin } from "../ledger/index.ts";
import { EmittedLinks } from "./emitted-links.ts";
import { KnownKeys } from "./known-keys.ts";
import type { RecordingThread } from "./recording-thread.ts";

const MAX_BATCH = 256;
/** Waiting for the disk costs more than signing fewer than these. */
const MIN_BATCH = 32;
/** One is being linked while another is being signed, and a third written. */
const MAX_BATCHES = 3;
/** Fewer are on disk before another thread has heard of them. */
const MIN_FOR_THREAD = 16;
const MAX_QUEUED = 100_000;
/** Chains whose heads are remembered; past it they are read again. */
const MAX_HEADS = 10_000;

interface Waiting {
  readonly frame: FrameRecord;
  /** Whose key it is and which, where it has one. */
  readonly name: string;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: StoreError) => void;
}

interface Linked {
  readonly waiting: Waiting;
  readonly receipts: readonly LinkedReceipt[];
}

interface Line {
  readonly sql: Statements;
  readonly keys: KeysInForce;
  readonly commits: GroupCommit;
  /** None: all is signed and written here. */
  readonly thread: RecordingThread | undefined;
}

/**
 * Has frames signed and written on another thread: a link covers what a receipt says, not its signature, so the next are linked and
 * signed while those before them are written. That needs chains that nobody else writes to, which those of emitters are. Where a chain begins it names the root's
 * tip, which the hub may move at any moment: so its first frame is signed inside of its transaction, and those after it wait.
 */
export class FrameBatcher {
  readonly #line: Line;
  #waiting: Waiting[] = [];
  /** The last receipt of a chain, written or on its way. */
  readonly #heads = new Map<string, ReceiptHead>();
  readonly #maxHeads: number;
  /** By chain that is being begun: who comes after. */
  readonly #held = new Map<string, Waiting[]>();
  /** By emitter and key, of what is on its way: who comes with the same. */
  readonly #underWay = new Map<string, readonly Waiting[]>();
  #origin: Origin | undefined;
  readonly #links = new EmittedLinks();
  readonly #keys: KnownKeys;
  #batches = 0;
  /** Written here, the next would hang on what may fail. */
  #maxBatches = 1;
  /** The last of them, which ends last. */
  #last: Promise<void> = Promise.resolve();
  /** One has failed: those linked after it hang in the air, and are linked again, in their order, before anything new is. */
  #broken = false;
  #generation = 0;
  readonly #loose: Waiting[] = [];
  #quiet = 0;
  #left = 0;
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(line: Line, maxHeads = MAX_HEADS) {
    this.#line = line;
    this.#maxHeads = maxHeads;
    this.#keys = new KnownKeys(line.sql);
  }

  add(frame: FrameRecord): Promise<Recorded> {
    if (this.#left >= MAX_QUEUED) return Promise.reject(new StoreError("BUSY", `${MAX_QUEUED} frames wait already`));
    this.#left += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frame, name: nameOf(frame), resolve, reject });
      this.#schedule();
    });
  }

  /** When nothing is under way. */
  settle(): Promise<void> {
    return this.#left === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Does something while nothing is linked or signed here: what comes meanwhile waits. */
  async whileQuiet<T>(work: () => Promise<T>): Promise<T> {
    this.#quiet += 1;
    try {
      await this.#last;
      return await work();
    } finally {
      this.#quiet -= 1;
      this.#schedule();
    }
  }

  #tell({ resolve }: Waiting, recorded: Recorded): void {
    this.#leave();
    resolve(recorded);
  }

  #refuse({ reject }: Waiting, error: StoreError): void {
    this.#leave();
    reject(error);
  }

  #leave(): void {
    this.#left -= 1;
    if (this.#left === 0) for (const tell of this.#idle.splice(0)) tell();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#quiet > 0 || this.#broken || this.#waiting.length === 0) return;
    // What the hub commits has its turn before more is handed to the thread that keeps it waiting.
    if (this.#batches > 0 && (this.#batches >= this.#maxBatches || this.#line.commits.isWaitedFor)) return;
    // What is on its way, or is linked with the next, is known by these alone.
    if (this.#heads.size >= this.#maxHeads && this.#batches === 0) this.#heads.clear();
    // So much that there is something to link, to sign and to write at any moment.
    const size = Math.min(Math.max(Math.ceil(this.#left / MAX_BATCHES), MIN_BATCH), MAX_BATCH);
    const taken = this.#waiting.slice(0, size);
    this.#waiting = this.#waiting.slice(size);
    const batch = taken.flatMap((waiting) => this.#link(waiting) ?? []);
    if (batch.length > 0) this.#last = this.#write(batch);
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Undefined: it is settled, or will be in another way. */
  #link(waiting: Waiting): Linked | undefined {
    const { frame } = waiting;
    try {
      const twins = this.#underWay.get(waiting.name);
      if (twins) {
        this.#underWay.set(waiting.name, [...twins, waiting]);
        return undefined;
      }
      const first = this.#keys.firstUnder(frame);
      if (first) {
        this.#tell(waiting, { kind: "repeated", ...first });
        return undefined;
      }
      this.#origin ??= beginningOf(this.#line.sql);
      const chainId = this.#origin && chainIdOf(this.#origin, this.#line.keys.current, frame.chain);
      const head = chainId === undefined ? null : this.#headOf(chainId);
      if (chainId === undefined || head === null) this.#begin(waiting);
      else return this.#place(waiting, { chainId, head });
    } catch (error) {
      this.#refuse(waiting, translateError(asInvalid(error), "The frame can't be recorded"));
    }
    return undefined;
  }

  #place(waiting: Waiting, { chainId, head }: { readonly chainId: string; readonly head: ReceiptHead }): Linked {
    const { frame } = waiting;
    let before = head;
    const { issuer } = this.#origin as Origin;
    const receipts = frame.receipts.map((receipt) => {
      const row = rowOf(frame, receipt);
      const unsealed = this.#links.link(receipt, { issuer, chainId, head: before });
      before = unsealed.head;
      return { unsealed, placed: placeRow(row, chainId, unsealed.head) };
    });
    this.#heads.set(chainId, before);
    this.#hold(waiting);
    return { waiting, receipts };
  }

  #headOf(chainId: string): ReceiptHead | null {
    const known = this.#heads.get(chainId);
    if (known) return known;
    const head = headOf(this.#line.sql, chainId);
    if (head) this.#heads.set(chainId, head);
    return head;
  }

  /** Through the transaction's own turn, alone of its chain. */
  #begin(waiting: Waiting): void {
    const { chain } = waiting.frame;
    const held = this.#held.get(chain);
    if (held) {
      held.push(waiting);
      return;
    }
    this.#held.set(chain, []);
    this.#hold(waiting);
    const recorded = this.#line.commits.do({
      apply: ({ ledger }) => ledger.record(waiting.frame),
      keeps: ({ kind }) => kind === "recorded",
    });
    const ended = recorded.then(
      (told) => this.#tell(waiting, told),
      (error) => this.#refuse(waiting, error),
    );
    ended.finally(() => {
      this.#again(this.#held.get(chain) ?? []);
      this.#held.delete(chain);
      this.#release(waiting);
    });
  }

  /** Never rejects. */
  async #write(batch: readonly Linked[]): Promise<void> {
    this.#batches += 1;
    try {
      const before = await this.#insert(batch.flatMap(({ receipts }) => receipts));
      if (before === undefined) this.#loose.push(...batch.map(({ waiting }) => waiting));
      else this.#tellAll(batch, before);
    } catch (error) {
      this.#broken = true;
      const failure = translateError(error, "The frame could not be recorded");
      for (const { waiting } of batch) this.#refuse(waiting, failure);
    }
    this.#batches -= 1;
    for (const { waiting } of batch) this.#release(waiting);
    if (this.#broken && this.#batches === 0) {
      this.#heads.clear();
      this.#broken = false;
      this.#generation += 1;
      this.#again(this.#loose.splice(0));
    }
    this.#schedule();
  }

  /** Returns the number of the receipt before them; undefined: they weren't written, since those before them weren't. */
  #insert(receipts: readonly LinkedReceipt[]): Promise<number | undefined> {
    const { commits, thread, keys } = this.#line;
    const [generation, current] = [this.#generation, keys.current];
    const isHere = thread === undefined || (this.#batches === 1 && receipts.length < MIN_FOR_THREAD);
    this.#maxBatches = isHere ? 1 : MAX_BATCHES;
    if (!isHere) return commits.aside(() => thread.write(receipts, { keys: current, generation }));
    const apply = ({ ledger }: Progress) => {
      const raws = receipts.map(({ unsealed }) => current.sealer.sealNow(unsealed));
      return ledger.insertSealed(
        receipts.map(({ placed }) => placed),
        raws,
      );
    };
    return commits.do({ apply, keeps: () => true });
  }

  #tellAll(batch: readonly Linked[], before: number): void {
    let seq = before;
    for (const { waiting, receipts } of batch) {
      seq += receipts.length;
      const { hash } = (receipts.at(-1) as LinkedReceipt).placed;
      this.#tell(waiting, { kind: "recorded", seq, hash });
    }
  }

  /** The same key on two chains must not be written twice, and least of all fail a batch that others are in. */
  #hold({ name }: Waiting): void {
    if (name !== NAMELESS) this.#underWay.set(name, NOBODY);
  }

  /** Who came with the same key finds it now, or is the first. */
  #release({ name }: Waiting): void {
    const twins = this.#underWay.get(name);
    if (twins === undefined) return;
    this.#underWay.delete(name);
    this.#again(twins);
  }

  #again(waiting: readonly Waiting[]): void {
    if (waiting.length === 0) return;
    this.#waiting = [...waiting, ...this.#waiting];
    this.#schedule();
  }
}

const NOBODY: readonly Waiting[] = [];
const NAMELESS = "";

/** Neither holds a NUL. */
function nameOf({ emitter, idempotencyKey }: FrameRecord): string {
  return idempotencyKey === null ? NAMELESS : `${emitter}\0${idempotencyKey}`;
}
