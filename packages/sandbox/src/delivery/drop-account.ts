import { constants, fsync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { MOST_DROPS } from "./frame.ts";

const fsyncFile = promisify(fsync);

/** Two slots, written in turn: one that is cut while it is written leaves the other. */
const SLOT_BYTES = 512;
const SLOTS = 2;

/** Which frame tells of how many. Until it is acknowledged it says the same number however often it is sent. */
export interface Carrier {
  readonly key: string;
  readonly count: number;
}

interface Account {
  /** Frames that were dropped and that no acknowledged frame has told of. */
  readonly dropped: number;
  readonly carrier: Carrier | null;
  /** The number of the journal's newest entry that is dealt with: delivered, or in `dropped`. */
  readonly settled: number;
  /** Calls that were passed on and that weren't told yet, when the journal's entry `toldAt` was the newest that told of one. */
  readonly underWay: number;
  readonly toldAt: number;
  /** Up to this entry of the journal, what can't be read of it is in `dropped`. */
  readonly lostTo: number;
  /** Calls that have come to their end, told or dropped, up to the journal's entry `toldAt`. */
  readonly ended: number;
}

const NOTHING: Account = { dropped: 0, carrier: null, settled: 0, underWay: 0, toldAt: 0, lostTo: 0, ended: 0 };

interface Settled {
  readonly number: number | undefined;
  readonly isLastWord: boolean;
}

/** What is found of the process before this one. */
interface Inherited {
  /** The number of the journal's newest entry. */
  readonly last: number;
  /** Of entries with the last word on a call. */
  readonly told: readonly number[];
  /** Of entries that can't be read. */
  readonly lost: readonly number[];
}

/**
 * How many frames were dropped, and how many calls aren't told yet, on disk. A change is written at once, in one call that doesn't wait for the disk: it outlives this process. It
 * outlives a power cut once `sync` has resolved, or soon after.
 */
export class DropAccount {
  readonly #fd: number;
  #account: Account;
  #turn: number;
  #syncing: Promise<void> | undefined;
  #isDirty = false;
  /** What the disk said last, where it doesn't take it. The count goes on in memory. */
  problem: Error | undefined;

  private constructor(fd: number, account: Account, turn: number) {
    this.#fd = fd;
    this.#account = account;
    this.#turn = turn;
  }

  static open(path: string): DropAccount {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const found = Array.from({ length: SLOTS }, (_, slot) => readSlot(fd, slot)).filter((each) => each !== undefined);
    const newest = found.sort((one, other) => other.turn - one.turn)[0];
    return new DropAccount(fd, newest?.account ?? NOTHING, newest?.turn ?? 0);
  }

  get dropped(): number {
    return this.#account.dropped;
  }

  get carrier(): Carrier | null {
    return this.#account.carrier;
  }

  get settled(): number {
    return this.#account.settled;
  }

  get ended(): number {
    return this.#account.ended;
  }

  get underWay(): number {
    return this.#account.underWay;
  }

  /**
   * Takes over from a process that may have been killed. What it hadn't told of calls that it had passed on is dropped, and so is what it had told
   * and can't be read any more. A journal that begins anew has no entries that are dealt with.
   */
  takeOver({ last, told, lost }: Inherited): { readonly untold: number; readonly unreadable: number } {
    const { dropped, settled, underWay, toldAt, lostTo } = this.#account;
    const ended = [...told, ...lost].filter((number) => number > toldAt).length;
    const untold = Math.max(0, underWay - ended);
    const unreadable = lost.filter((number) => number > settled && number > lostTo).length;
    this.#write({
      ...this.#account,
      ...{ dropped: dropped + untold + unreadable, settled: Math.min(settled, last) },
      // Who was under way was told since, or is dropped now.
      ...{ underWay: 0, toldAt: last, lostTo: last, ended: this.#account.ended + underWay },
    });
    return { untold, unreadable };
  }

  /** A call is about to be passed on. */
  begin(): void {
    this.#write({ ...this.#account, underWay: this.#account.underWay + 1 });
  }

  /** The last word on it is in the journal, under this number. That is where it stands: nothing is written here before the next change. */
  told(number: number): void {
    this.#account = { ...this.#account, ...this.#oneEnded(), toldAt: number };
  }

  /** There is nothing to tell of it. */
  forget(): void {
    this.#write({ ...this.#account, ...this.#oneEnded() });
  }

  /** One that never was in the journal. In one step, so that a call isn't counted twice whose last word it was. */
  drop(isLastWord = false): void {
    this.#write({ ...this.#account, ...(isLastWord ? this.#oneEnded() : {}), dropped: this.#account.dropped + 1 });
  }

  /** Calls that are over, and of which nobody here knew. */
  dropUnseen(count: number): void {
    const { dropped, ended } = this.#account;
    this.#write({ ...this.#account, dropped: dropped + count, ended: ended + count });
  }

  /** What is no call. */
  dropOthers(count: number): void {
    this.#write({ ...this.#account, dropped: this.#account.dropped + count });
  }

  /** From now on, and until it is settled, this frame tells of all that were dropped so far, or of as many as a frame may. */
  carry(key: string): Carrier {
    const carrier = { key, count: Math.min(this.#account.dropped, MOST_DROPS) };
    this.#write({ ...this.#account, carrier });
    return carrier;
  }

  /** The carrier is gone, and nobody knows whether it was heard: better told twice than not at all. */
  forgetCarrier(): void {
    this.#write({ ...this.#account, carrier: null });
  }

  /**
   * In one step, so that no frame is both delivered again and counted. `number`: undefined where the journal didn't take it; then a call whose last
   * word it was has been under way until now.
   */
  settle(key: string, end: "delivered" | "dropped", { number, isLastWord }: Settled): void {
    const { dropped, carrier, settled } = this.#account;
    const isCarrier = carrier?.key === key;
    const told = isCarrier && end === "delivered" ? carrier.count : 0;
    this.#write({
      ...this.#account,
      ...(isLastWord && number === undefined ? this.#oneEnded() : {}),
      dropped: dropped - told + (end === "dropped" ? 1 : 0),
      carrier: isCarrier ? null : carrier,
      settled: Math.max(settled, number ?? 0),
    });
  }

  /** Resolves once what is written now is on disk. Throws where it isn't. */
  async sync(): Promise<void> {
    while (this.#isDirty || this.#syncing) await this.#flush();
    if (this.problem) throw this.problem;
  }

  #oneEnded(): Pick<Account, "underWay" | "ended"> {
    const { underWay, ended } = this.#account;
    return { underWay: underWay - 1, ended: ended + 1 };
  }

  #write(account: Account): void {
    const isAboutDrops = account.dropped !== this.#account.dropped || account.carrier !== this.#account.carrier;
    this.#account = account;
    this.#turn += 1;
    try {
      writeSync(this.#fd, slotOf(account, this.#turn), 0, SLOT_BYTES, (this.#turn % SLOTS) * SLOT_BYTES);
      this.problem = undefined;
      // What is delivered comes once more where this is lost, and is known by its key.
      if (!isAboutDrops) return;
      this.#isDirty = true;
      void this.#flush().catch(() => undefined);
    } catch (cause) {
      this.problem = cause instanceof Error ? cause : new Error(String(cause));
    }
  }

  #flush(): Promise<void> {
    this.#syncing ??= this.#flushOnce().finally(() => {
      this.#syncing = undefined;
      if (this.#isDirty) void this.#flush().catch(() => undefined);
    });
    return this.#syncing;
  }

  async #flushOnce(): Promise<void> {
    this.#isDirty = false;
    try {
      await fsyncFile(this.#fd);
    } catch (cause) {
      this.problem = cause instanceof Error ? cause : new Error(String(cause));
      throw this.problem;
    }
  }
}

/** CRC-32 in 8 hex digits, JSON, spaces. */
function slotOf(account: Account, turn: number): Buffer {
  const json = JSON.stringify({ turn, account });
  const slot = Buffer.alloc(SLOT_BYTES, " ");
  slot.write(crc32(json).toString(16).padStart(8, "0") + json);
  return slot;
}

function readSlot(fd: number, slot: number): { readonly turn: number; readonly account: Account } | undefined {
  const bytes = Buffer.alloc(SLOT_BYTES);
  if (readSync(fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES) !== SLOT_BYTES) return undefined;
  const json = bytes.subarray(8).toString().trimEnd();
  if (crc32(json).toString(16).padStart(8, "0") !== bytes.subarray(0, 8).toString()) return undefined;
  const { turn, account } = JSON.parse(json) as { turn: number; account: Partial<Account> };
  return { turn, account: { ...NOTHING, ...account } };
}
