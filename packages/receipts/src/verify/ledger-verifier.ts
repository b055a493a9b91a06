import { type Checkpoint, openCheckpoint } from "../checkpoint/index.ts";
import { didUrlOfKey, equalBytes, type ReceiptCrypto } from "../crypto/index.ts";
import { type ChainRef, digestOf, type Malformed } from "../format/index.ts";
import { RegrownTree, type TreeHead } from "../merkle-check/index.ts";
import type { Advisory } from "./advisor.ts";
import {
  type ChainOptions,
  ChainVerifier,
  type ExpectedHead,
  newShared,
  type Shared,
  type Signed,
} from "./chain-verifier.ts";
import { examineReceipt, type Precheck, type ReceiptFacts } from "./check-receipt.ts";
import { type Fault, type FaultCode, faultOf, malformedAt } from "./fault.ts";

export interface LedgerOptions extends Omit<ChainOptions, "requireTerminal"> {
  /** Trees that witnesses remember. Their signatures are checked by whoever opened them, see openCheckpoint. */
  readonly witnessed?: readonly TreeHead[];
}

export interface LedgerReport {
  readonly isWhole: boolean;
  readonly fault: Fault | null;
  /** The first receipt of a version that is newer than this verifier, where there is one. */
  readonly newer: Fault | null;
  readonly count: number;
  readonly chains: number;
  readonly tree: TreeHead;
  /** Of the root chain. */
  readonly head: ExpectedHead | null;
  readonly publicKey: Uint8Array | null;
  /** The largest tree that a witness confirms. What comes after it could have been cut off unnoticed. */
  readonly witnessedSize: number;
  readonly advisories: readonly Advisory[];
  readonly responsesUnchecked: number;
}

/**
 * Checks a whole ledger in the order in which it was written: the root chain, to which the first receipt belongs; every
 * sub-chain, which begins under the root's key and names the root's tip; the tree over all of them; the checkpoints that
 * the root chain carries, and those that witnesses remember. What ChainVerifier doesn't prove, this doesn't either.
 */
export class LedgerVerifier {
  readonly #options: LedgerOptions;
  readonly #crypto: ReceiptCrypto;
  readonly #shared: Shared;
  readonly #tree: RegrownTree;
  readonly #chains = new Map<string, ChainVerifier>();
  readonly #witnessed = new Map<number, TreeHead[]>();
  #root: { readonly chainId: string; readonly chain: ChainVerifier } | null = null;
  #count = 0;
  #witnessedSize = 0;
  #completed: readonly Uint8Array[] = [];

  constructor(options: LedgerOptions, shared: Shared = newShared(options.crypto)) {
    this.#options = options;
    this.#crypto = options.crypto;
    this.#shared = shared;
    this.#tree = new RegrownTree(options.crypto);
    for (const head of options.witnessed ?? []) {
      this.#witnessed.set(head.size, [...(this.#witnessed.get(head.size) ?? []), head]);
    }
  }

  get fault(): Fault | null {
    return this.#shared.faults.value;
  }

  /** The key that the root chain is signed with now: the one for workers to expect. */
  get publicKey(): Uint8Array | null {
    return this.#root?.chain.key?.publicKey ?? null;
  }

  /** The nodes of the tree that the last receipt completed, by their height. */
  get completed(): readonly Uint8Array[] {
    return this.#completed;
  }

  /** The next receipt's bytes. Wait for the promise where there is one: too many checks are under way. */
  feed(raw: Uint8Array): Promise<void> | undefined {
    if (this.fault === null) this.#admit(examineReceipt(raw, this.#crypto, this.#options.bytes));
    return this.#shared.signatures.room();
  }

  /** The next receipt as a worker has found it; see precheckReceipts. `index`: where it is in a store that holds others, too. */
  feedPrechecked(raw: Uint8Array, precheck: Precheck, index = this.#count): Promise<void> | undefined {
    if (this.fault === null) this.#admit(precheck.kind === "malformed" ? precheck : { ...precheck, raw }, index);
    return this.#shared.signatures.room();
  }

  #admit(found: Signed | Malformed, index = this.#count): void {
    const size = this.#count;
    this.#count += 1;
    if (found.kind === "malformed") return this.#shared.faults.note(malformedAt(index, found));
    const { facts } = found;
    const { faults } = this.#shared;
    const fault = (code: FaultCode, detail: string) => faults.note(faultOf(facts, { code, index, detail }));
    if (facts.checkpoint !== null) this.#checkCheckpoint(facts.checkpoint, size, fault);
    const chain = this.#chainOf(facts, fault);
    if (chain !== this.#root?.chain) this.#checkInForce(chain, facts, fault);
    chain.admit(found, index);
    this.#completed = this.#tree.add(digestOf(facts.hash) as Uint8Array);
    this.#askWitnesses(fault);
  }

  #chainOf(facts: ReceiptFacts, fault: NoteFault): ChainVerifier {
    const known = this.#chains.get(facts.chainId);
    if (known !== undefined) return known;
    const root = this.#root;
    const options = root === null ? this.#options : this.#optionsBelow(root.chain);
    const chain = new ChainVerifier(options, this.#shared, this.#beginningOf(facts, fault));
    this.#chains.set(facts.chainId, chain);
    if (root === null) {
      this.#root = { chainId: facts.chainId, chain };
      // Or a sub-chain alone would pass for the whole ledger.
      if (facts.parentChainRef !== null) fault("ANCHOR_MISMATCH", `chain ${facts.chainId} begins below a root`);
    } else if (!isTipOf(root.chain, facts.parentChainRef) || facts.parentChainRef?.chain_id !== root.chainId)
      fault("ANCHOR_MISMATCH", `chain ${facts.chainId} doesn't begin at the root's tip`);
    return chain;
  }

  /** The chain that this one goes on from, and so on: what was begun there may end here. */
  #beginningOf({ chainId, continues }: ReceiptFacts, fault: NoteFault): string {
    if (continues === null) return chainId;
    const before = this.#chains.get(continues.chain_id);
    if (before !== undefined && before !== this.#root?.chain && isTipOf(before, continues)) return before.beginning;
    fault("ANCHOR_MISMATCH", `chain ${chainId} doesn't go on where ${continues.chain_id} ended`);
    return chainId;
  }

  /**
   * When the root's key changes, it changes for all: a sub-chain ends, and is continued by another. It can't change the key itself: or whoever
   * has one that was given up could still write where nobody has changed it, a change of the key with whatever else they want said.
   */
  #checkInForce({ key }: ChainVerifier, { rotation }: ReceiptFacts, fault: NoteFault): void {
    const inForce = this.publicKey;
    if (key !== null && inForce !== null && !equalBytes(key.publicKey, inForce))
      fault("INVALID_SIGNATURE", `${didUrlOfKey(key.publicKey)} isn't the key in force`);
    else if (rotation !== null) fault("INVALID_ROTATION", "only the root chain changes the key");
  }

  /** A sub-chain has the root's key and its commitment: nobody can open one under a key of his own. */
  #optionsBelow(root: ChainVerifier): ChainOptions {
    const { crypto, bytes = "any", responseTo = () => undefined } = this.#options;
    return { crypto, bytes, responseTo, keys: () => root.key };
  }

  /** A checkpoint covers what stands before the receipt that carries it, neither more nor less. */
  #checkCheckpoint(note: string, size: number, fault: NoteFault): void {
    const mismatch = (detail: string) => fault("ANCHOR_MISMATCH", `the checkpoint at ${size} ${detail}`);
    const publicKey = this.publicKey;
    if (publicKey === null) return mismatch("is on the first receipt");
    const tree = { size, root: this.#tree.root() };
    this.#shared.signatures.await(
      openCheckpoint(note, publicKey, this.#crypto).then((opened) => {
        if (opened.kind === "refused") mismatch(opened.fault);
        else if (!isSameTree(opened.checkpoint, tree)) mismatch("is of another tree");
      }),
    );
  }

  #askWitnesses(fault: NoteFault): void {
    const heads = this.#witnessed.get(this.#tree.size);
    if (heads === undefined) return;
    const root = this.#tree.root();
    if (heads.every((head) => equalBytes(head.root, root))) this.#witnessedSize = this.#tree.size;
    else fault("FORKED", `a witness saw other receipts among the first ${this.#tree.size}`);
  }

  async finish(): Promise<LedgerReport> {
    await this.#shared.signatures.settle();
    this.#root?.chain.checkEnd(this.#count);
    this.#checkEnd();
    const chains = [...this.#chains.values()];
    const newer = this.#shared.newer.fault;
    const fault = this.fault ?? newer;
    return {
      isWhole: fault === null,
      fault,
      newer,
      count: this.#count,
      chains: chains.length,
      tree: { size: this.#tree.size, root: this.#tree.root() },
      head: headOf(this.#root?.chain),
      publicKey: this.publicKey,
      witnessedSize: this.#witnessedSize,
      advisories: this.#shared.advisor.advisories(),
      responsesUnchecked: chains.reduce((sum, chain) => sum + chain.responsesUnchecked, 0),
    };
  }

  #checkEnd(): void {
    const remembered = [...this.#witnessed.keys()].reduce((most, size) => Math.max(most, size), 0);
    if (this.fault !== null || remembered <= this.#count) return;
    const detail = `a witness saw ${remembered} receipts`;
    this.#shared.faults.note({ code: "TRUNCATED", index: this.#count, detail });
  }
}

function headOf(root: ChainVerifier | undefined): ExpectedHead | null {
  return root?.head ? { sequence: root.head.sequence, hash: root.head.hash } : null;
}

type NoteFault = (code: FaultCode, detail: string) => void;

function isTipOf({ head }: ChainVerifier, ref: ChainRef | null): boolean {
  return ref !== null && ref.sequence === head?.sequence && ref.receipt_hash === head.hash;
}

function isSameTree(checkpoint: Checkpoint, tree: TreeHead): boolean {
  return checkpoint.size === tree.size && equalBytes(checkpoint.root, tree.root);
}
