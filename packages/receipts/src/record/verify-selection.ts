import { type Checkpoint, openCheckpoint } from "../checkpoint/index.ts";
import { equalBytes, fromBase64, keyOfDid, utf8Bytes } from "../crypto/index.ts";
import { digestOf, followRotation, type KeyInForce } from "../format/index.ts";
import { checkInclusion } from "../merkle-check/index.ts";
import {
  type Examined,
  examineReceipt,
  type Fault,
  type FaultCode,
  faultOf,
  isHashOf,
  malformedAt,
  NewerReceipts,
  type ReceiptFacts,
} from "../verify/index.ts";
import type { Bundle } from "./bundle.ts";
import { HeadWatch } from "./head-watch.ts";
import { Rotations } from "./rotation.ts";
import { NO_MISMATCH } from "./row-check.ts";
import { Signers } from "./signers.ts";
import type { Verification, VerifyOptions } from "./verify-record.ts";
import { largestOf, type Memory } from "./witnessed-checkpoints.ts";

/** Between two words about how far it is. */
const TOLD_EVERY = 128;
const NOTHING = new Uint8Array(0);

/**
 * Some receipts of a ledger. Each is signed by a key of the ledger's line and is a leaf, at its place, of the tree that the
 * newest checkpoint signs. It isn't proved that others, which would belong to them, weren't left out.
 */
export async function verifySelection(bundle: Bundle, options: VerifyOptions): Promise<Verification> {
  const run = new SelectionRun(bundle, options);
  return await run.finish();
}

class SelectionRun {
  readonly #bundle: Bundle;
  readonly #options: VerifyOptions;
  readonly #signers = new Signers();
  readonly #rotations = new Rotations();
  readonly #newer = new NewerReceipts();
  readonly #chains = new Set<string>();
  readonly #headWatch: HeadWatch;
  /** Each key that was ever in force, the newest last. */
  readonly #keys: KeyInForce[] = [];
  readonly #facts: ReceiptFacts[] = [];
  #unplaced = 0;

  constructor(bundle: Bundle, options: VerifyOptions) {
    this.#bundle = bundle;
    this.#options = options;
    this.#headWatch = new HeadWatch(options.expectHead);
  }

  async finish(): Promise<Verification> {
    const fault = (await this.#checkReceipts()) ?? (await this.#checkPlaces());
    const last = this.#facts.at(-1);
    const at = fault === null ? undefined : this.#facts[fault.index];
    const isSeen = fault === null && this.#isWitnessed();
    return {
      fault,
      newer: this.#newer.fault,
      lesserFault: this.#newer.fault,
      place: at === undefined ? null : { chainId: at.chainId, sequence: at.sequence },
      count: this.#facts.length,
      chains: this.#chains.size,
      // As the bundle says: of what comes after its checkpoint nothing is proved.
      tree:
        fault === null ? { size: this.#bundle.tree.size, root: fromBase64(this.#bundle.tree.root) ?? NOTHING } : null,
      coveredSize: this.#checkpoint?.claim.size ?? 0,
      carriedSize: this.#facts.reduce(
        (most, { checkpoint }, at) => (checkpoint === null ? most : this.#seqAt(at) - 1),
        0,
      ),
      head: last === undefined ? null : { seq: this.#seqAt(this.#facts.length - 1), hash: last.hash },
      issuer: last?.issuerId ?? null,
      signers: this.#signers,
      witnessedSize: isSeen ? (this.#checkpoint?.claim.size ?? 0) : 0,
      rowMismatch: NO_MISMATCH,
      epochs: this.#facts.flatMap(({ actionType }, index) =>
        actionType === "dev.countersign.epoch.open" ? [index] : [],
      ),
      rotations: this.#rotations.found,
      advisories: [],
      responsesUnchecked: this.#facts.filter(
        ({ id, responseHash }) => responseHash !== null && this.#responseTo(id) === undefined,
      ).length,
      unplaced: this.#unplaced,
    };
  }

  #seqAt(index: number): number {
    return this.#bundle.receipts[index]?.seq ?? 0;
  }

  #responseTo(id: string): unknown {
    return this.#options.responseTo?.(id);
  }

  async #checkReceipts(): Promise<Fault | null> {
    let before = 0;
    for (const [index, { seq, raw }] of this.#bundle.receipts.entries()) {
      if (seq <= before) return fault("SEQUENCE_GAP", index, `numbered ${seq} after ${before}`);
      before = seq;
      const found = await this.#checkReceipt(raw, seq, index);
      if (found !== null) return found;
      if (index % TOLD_EVERY === 0) this.#options.onProgress?.(index + 1);
    }
    return null;
  }

  async #checkReceipt(raw: string, seq: number, index: number): Promise<Fault | null> {
    const { crypto } = this.#options;
    const bytes = utf8Bytes(raw);
    const examined = examineReceipt(bytes, crypto, "canonical");
    if (examined.kind === "malformed") return malformedAt(index, examined);
    const found = await this.#checkExamined(examined, { raw: bytes, seq, index });
    return found && faultOf(examined.facts, found);
  }

  async #checkExamined(
    examined: Examined,
    { raw: bytes, seq, index }: { readonly raw: Uint8Array; readonly seq: number; readonly index: number },
  ): Promise<Fault | null> {
    const { crypto } = this.#options;
    const { facts, message, signature } = examined;
    this.#facts.push(facts);
    this.#chains.add(facts.chainId);
    const first = this.#facts[0] as ReceiptFacts;
    if (facts.issuerId !== first.issuerId) return fault("ISSUER_MISMATCH", index, `issuer ${facts.issuerId}`);
    if (seq === 1) this.#begin(facts);
    // Every change of the key comes along, in its place: what follows one isn't the old key's to sign.
    const named = keyOfDid(facts.verificationMethod);
    const key = this.#keys.at(-1);
    if (key === undefined || named === null || !equalBytes(named, key.publicKey))
      return fault("INVALID_SIGNATURE", index, `${facts.verificationMethod} isn't the key in force`);
    if (!(await crypto.verify({ publicKey: key.publicKey, message, signature }))) {
      return fault("INVALID_SIGNATURE", index, "changed since it was signed, or signed by another key");
    }
    const response = facts.responseHash === null ? undefined : this.#responseTo(facts.id);
    if (response !== undefined && !isHashOf(response, facts.responseHash as string, crypto))
      return fault("RESPONSE_MISMATCH", index, `the response to ${facts.id} isn't the one that was hashed`);
    this.#newer.note(facts, index);
    this.#signers.note(facts);
    this.#rotations.note(facts, index);
    this.#options.onReceipt?.({ seq, raw: bytes });
    return this.#follow(facts, key, index) ?? this.#headWatch.look(facts, seq - 1);
  }

  /** The first receipt of all names the ledger's first key, and the only one that may follow. */
  #begin({ verificationMethod, nextKey }: ReceiptFacts): void {
    const publicKey = keyOfDid(verificationMethod);
    if (publicKey !== null) this.#keys.push({ publicKey, nextKey });
  }

  #follow({ rotation, nextKey, chainId }: ReceiptFacts, key: KeyInForce, index: number): Fault | null {
    if (rotation === null) return null;
    const isRoots = chainId === this.#facts[0]?.chainId;
    const publicKey = isRoots ? followRotation(rotation, key, this.#options.crypto) : null;
    if (publicKey === null || (key.nextKey !== null && nextKey === null))
      return fault("INVALID_ROTATION", index, "a successor that wasn't committed to");
    this.#keys.push({ publicKey, nextKey });
    return null;
  }

  get #checkpoint(): Memory | undefined {
    return largestOf(this.#options.ownMemories);
  }

  async #checkPlaces(): Promise<Fault | null> {
    const { crypto } = this.#options;
    const memory = this.#checkpoint;
    const checkpoint = memory === undefined ? null : await this.#open(memory);
    if (memory !== undefined && checkpoint === null) {
      return fault("ANCHOR_MISMATCH", 0, "its checkpoint isn't signed by a key of the ledger");
    }
    const proofs = new Map(this.#bundle.inclusion.map(({ seq, proof }) => [seq, proof]));
    for (const [index, { seq }] of this.#bundle.receipts.entries()) {
      if (checkpoint === null || seq > checkpoint.size) {
        this.#unplaced += 1;
        continue;
      }
      const proof = (proofs.get(seq) ?? []).map((hash) => fromBase64(hash) ?? NOTHING);
      const digest = digestOf((this.#facts[index] as ReceiptFacts).hash) as Uint8Array;
      if (!checkInclusion({ index: seq - 1, digest, head: checkpoint, proof }, crypto)) {
        return fault("ANCHOR_MISMATCH", index, `nothing proves that it is receipt ${seq} of ${checkpoint.size}`);
      }
    }
    return this.#headWatch.end(this.#facts.length) ?? this.#contradiction();
  }

  async #open({ note }: Memory): Promise<Checkpoint | null> {
    for (const { publicKey } of this.#keys) {
      const opened = await openCheckpoint(note, publicKey, this.#options.crypto);
      if (opened.kind === "checkpoint") return opened.checkpoint;
    }
    return null;
  }

  /** A witness can only be asked about a tree of the same size: between two it takes all receipts. */
  #sameSize(): readonly Memory[] {
    const size = this.#checkpoint?.claim.size;
    return this.#options.witnessed.filter(({ claim }) => claim.size === size);
  }

  #contradiction(): Fault | null {
    const root = this.#checkpoint?.claim.root ?? NOTHING;
    const isSame = this.#sameSize().every(({ claim }) => equalBytes(root, claim.root));
    return isSame ? null : fault("FORKED", 0, "a witness saw another tree of this size");
  }

  #isWitnessed(): boolean {
    return this.#sameSize().length > 0;
  }
}

function fault(code: FaultCode, index: number, detail: string): Fault {
  return { code, index, detail };
}
