import { keyOfDid, type ReceiptCrypto } from "../crypto/index.ts";
import {
  type BytesRule,
  examineReceipt,
  FAULT_CODES,
  type Fault,
  type KeyClaim,
  type Precheck,
  type ReceiptFacts,
  type ResponseTo,
} from "../verify/index.ts";
import { HeadWatch, type WantedHead } from "./head-watch.ts";
import { ChainsJudge, type Judge, type JudgeReport, LedgerJudge } from "./judge.ts";
import { type RecordedRotation, Rotations } from "./rotation.ts";
import { RowCheck, type RowMismatch } from "./row-check.ts";
import { Signers } from "./signers.ts";
import type { RecordItem, RecordSource } from "./source.ts";
import type { Trust } from "./trust.ts";
import { checkMemories, headsOf, largestOf, type Memory, memoriesAbout } from "./witnessed-checkpoints.ts";

/** Who looks at receipts by themselves, which is the costly part: on other threads, or here. */
export interface Prechecker {
  /** So many batches at once are worth the wait. */
  readonly width: number;
  ask(raws: readonly Uint8Array[], publicKey: Uint8Array, rule: BytesRule): Promise<Precheck[]>;
}

export interface VerifyOptions {
  readonly crypto: ReceiptCrypto;
  /** To find the key of proofs that name one without holding it. */
  readonly trust: Trust;
  /** The caller named these keys: a first receipt that none of them signed is INVALID_SIGNATURE, not UNRESOLVABLE_DID. */
  readonly isTrustGiven?: boolean;
  readonly expectHead?: WantedHead | undefined;
  /** What was answered to a receipt's action, by the receipt's id, where that is at hand. */
  readonly responseTo?: ResponseTo | undefined;
  /** What the source remembers of itself, and what witnesses do. */
  readonly ownMemories: readonly Memory[];
  readonly witnessed: readonly Memory[];
  /** Called now and then. */
  readonly onProgress?: (count: number) => void;
  /** Sees all receipts that are looked at, in order; a few of them before it is known whether they hold. */
  readonly onReceipt?: OnReceipt | undefined;
}

/** `seq` counts from 1, in the ledger. */
export type OnReceipt = (receipt: { readonly seq: number; readonly raw: Uint8Array }) => void;

interface Place {
  readonly chainId: string;
  readonly sequence: number;
}

export interface Verification extends JudgeReport {
  readonly count: number;
  /** Where the fault is, as far as the receipt there says so itself. */
  readonly place: Place | null;
  /** What keeps it from being whole although every receipt holds. */
  readonly lesserFault: Fault | null;
  /** The last of all. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly issuer: string | null;
  readonly signers: Signers;
  /** The largest tree that a witness confirms: what comes after it could have been cut off unnoticed. */
  readonly witnessedSize: number;
  /** Of a selection: how many receipts of the ledger its checkpoint covers. */
  readonly coveredSize: number;
  /** How many receipts the newest checkpoint covers that a receipt carries; 0: none does. */
  readonly carriedSize: number;
  readonly rowMismatch: RowMismatch;
  /** Where the record owns up to having been found shorter, or another, than a witness remembered: the receipts' indexes. */
  readonly epochs: readonly number[];
  /** Where the key changed. */
  readonly rotations: readonly RecordedRotation[];
  /** Of a selection: receipts whose place in the ledger isn't proved, because no checkpoint covers them yet. */
  readonly unplaced: number;
}

/** So many places are remembered: a check may answer late, though never by so much. */
const PLACES = 4_096;

/** Every receipt of a source, in its order; the signatures on other threads. */
export function verifyRecord(source: RecordSource, options: VerifyOptions, desk: Prechecker): Promise<Verification> {
  return new VerifyRun(options, desk).through(source);
}

interface Asked {
  readonly items: readonly RecordItem[];
  readonly answers: Promise<Precheck[]>;
}

class VerifyRun {
  readonly #options: VerifyOptions;
  readonly #desk: Prechecker;
  readonly #headWatch: HeadWatch;
  readonly #rows = new RowCheck();
  readonly #signers = new Signers();
  readonly #places: Place[] = [];
  #judge: Judge | null = null;
  /** Found here and not by the judge. */
  #fault: Fault | null = null;
  #current: Uint8Array = new Uint8Array(0);
  #count = 0;
  #last: ReceiptFacts | null = null;
  /** A witness may remember several ledgers; these are about this one. */
  #witnessed: readonly Memory[] = [];
  readonly #epochs: number[] = [];
  #carriedSize = 0;
  readonly #rotations = new Rotations();
  /** Of the first batches, before the judge knows a key. */
  #guess: Uint8Array | null = null;

  constructor(options: VerifyOptions, desk: Prechecker) {
    this.#options = options;
    this.#desk = desk;
    this.#headWatch = new HeadWatch(options.expectHead);
  }

  async through(source: RecordSource): Promise<Verification> {
    const asked: Asked[] = [];
    for await (const items of source.batches()) {
      this.#judge ??= this.#judgeFor(source, items);
      asked.push(this.#ask(items));
      if (asked.length > this.#desk.width * 2) await this.#take(asked.shift() as Asked);
      if (this.#isBroken) break;
    }
    while (asked.length > 0 && !this.#isBroken) await this.#take(asked.shift() as Asked);
    this.#rows.noteStrays(source.strayRows ?? 0, this.#count);
    return this.#finish();
  }

  get #isBroken(): boolean {
    return this.#fault !== null || (this.#judge?.fault ?? null) !== null;
  }

  /** By the first receipt: what it says of itself is signed, and one that isn't ours makes none of ours pass. */
  #judgeFor(source: RecordSource, [first]: readonly RecordItem[]): Judge {
    const keys = (claim: KeyClaim) => keyOfDid(claim.verificationMethod) ?? this.#keyNamedIn(claim);
    const examined = examineReceipt(first?.raw ?? new Uint8Array(0), this.#options.crypto);
    const { crypto, responseTo = () => undefined } = this.#options;
    const isOurs = examined.kind === "receipt" && examined.facts.isOurs;
    if (source.isMixed === true)
      return new ChainsJudge({ keys, crypto, responseTo }, (root) => headsOf(this.#aboutLedger(root)));
    const isLedger = source.isLedger || isOurs;
    this.#guess = examined.kind === "receipt" ? keyOfDid(examined.facts.verificationMethod) : null;
    if (!isLedger) return new ChainsJudge({ keys, crypto, responseTo });
    const witnessed = examined.kind === "receipt" ? this.#aboutLedger(examined.facts.chainId) : [];
    return new LedgerJudge({ keys, crypto, responseTo }, headsOf([...this.#options.ownMemories, ...witnessed]));
  }

  #aboutLedger(rootChainId: string): readonly Memory[] {
    const found = memoriesAbout(rootChainId, this.#options.witnessed);
    this.#witnessed = [...this.#witnessed, ...found];
    return found;
  }

  /** Among those that are trusted: a proof can name a key without holding it. */
  #keyNamedIn({ chainId }: KeyClaim): Uint8Array | null {
    const { trust, isTrustGiven = false } = this.#options;
    const key = trust.signerOf(this.#current) ?? (isTrustGiven ? (trust.keys[0] ?? null) : null);
    if (key !== null) this.#signers.resolve(chainId, key);
    return key;
  }

  #ask(items: readonly RecordItem[]): Asked {
    const judge = this.#judge as Judge;
    const key = judge.publicKey ?? this.#guess ?? this.#options.trust.keys[0] ?? new Uint8Array(0);
    return {
      items,
      answers: this.#desk.ask(
        items.map(({ raw }) => raw),
        key,
        judge.bytes,
      ),
    };
  }

  async #take({ items, answers }: Asked): Promise<void> {
    for (const [at, precheck] of (await answers).entries()) {
      await this.#admit(items[at] as RecordItem, precheck);
      if (this.#isBroken) return;
    }
    this.#options.onProgress?.(this.#count);
  }

  #admit(item: RecordItem, precheck: Precheck): Promise<void> | undefined {
    const index = this.#count;
    if (item.seq !== undefined && item.seq !== index + 1) {
      const detail = item.seq > index + 1 ? `receipt ${index + 1} is missing` : `numbered ${item.seq}`;
      this.#fault = { code: "SEQUENCE_GAP", index, detail };
      return undefined;
    }
    this.#count += 1;
    this.#current = item.raw;
    const room = (this.#judge as Judge).admit(item.raw, precheck);
    if (precheck.kind === "malformed") return room;
    const { facts } = precheck;
    this.#places[index % PLACES] = { chainId: facts.chainId, sequence: facts.sequence };
    this.#last = facts;
    this.#signers.note(facts);
    this.#rows.note(item.row, facts, { index, nodes: (this.#judge as Judge).completed });
    if (facts.actionType === "dev.countersign.epoch.open") this.#epochs.push(index);
    if (facts.checkpoint !== null) this.#carriedSize = index;
    this.#rotations.note(facts, index);
    this.#fault = this.#headWatch.look(facts, index);
    if (!this.#isBroken) this.#options.onReceipt?.({ seq: index + 1, raw: item.raw });
    return room;
  }

  async #finish(): Promise<Verification> {
    const report = (await this.#judge?.finish()) ?? NOTHING;
    const found = firstOf([report.fault, this.#fault]);
    const fault = found ?? this.#headWatch.end(this.#count) ?? (await this.#checkMemories());
    const last = this.#last;
    const lesserFault = report.newer ?? this.#rows.fault;
    return {
      ...report,
      fault,
      lesserFault,
      count: this.#count,
      place: this.#placeOf(fault),
      head: last === null ? null : { seq: this.#count, hash: last.hash },
      issuer: last?.issuerId ?? null,
      signers: this.#signers,
      witnessedSize: fault === null ? (largestOf(this.#witnessed)?.claim.size ?? 0) : 0,
      coveredSize: report.tree?.size ?? 0,
      carriedSize: this.#carriedSize,
      rowMismatch: this.#rows.found,
      epochs: this.#epochs,
      rotations: this.#rotations.found,
      unplaced: 0,
    };
  }

  #placeOf(fault: Fault | null): Place | null {
    if (fault === null || fault.index >= this.#count) return null;
    return this.#places[fault.index % PLACES] ?? null;
  }

  async #checkMemories(): Promise<Fault | null> {
    const { ownMemories, witnessed, crypto } = this.#options;
    if (witnessed.length > 0 && this.#witnessed.length === 0) {
      return { code: "FORKED", index: 0, detail: "the witness remembers another ledger, and not this one" };
    }
    return checkMemories({ ownMemories, witnessed: this.#witnessed, signers: this.#signers, crypto });
  }
}

const NOTHING: JudgeReport = { fault: null, newer: null, chains: 0, tree: null, advisories: [], responsesUnchecked: 0 };

/** Of several, the first thing wrong: by place, and at one place in the order of the codes. */
function firstOf(faults: readonly (Fault | null)[]): Fault | null {
  const found = faults.filter((fault) => fault !== null);
  return found.sort((one, other) => one.index - other.index || rank(one) - rank(other))[0] ?? null;
}

function rank({ code }: Fault): number {
  return FAULT_CODES.indexOf(code);
}
