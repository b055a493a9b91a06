import type { ReceiptCrypto } from "../crypto/index.ts";
import type { TreeHead } from "../merkle-check/index.ts";
import {
  type Advisory,
  type BytesRule,
  ChainVerifier,
  type Fault,
  type KeyResolver,
  LedgerVerifier,
  newShared,
  type Precheck,
  type ReceiptFacts,
  type ResponseTo,
  type Shared,
} from "../verify/index.ts";

/** What goes through the receipts in their order, once each was looked at by itself. */
export interface Judge {
  /** How strict it is about bytes: ours are as we write them, others' needn't be. */
  readonly bytes: BytesRule;
  readonly fault: Fault | null;
  /** The key that the next receipts are likely to be signed with. */
  readonly publicKey: Uint8Array | null;
  /** The nodes of the ledger's tree that the last receipt completed, by their height. */
  readonly completed: readonly Uint8Array[];
  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined;
  finish(): Promise<JudgeReport>;
}

export interface JudgeReport {
  readonly fault: Fault | null;
  /** The first receipt of a newer version, where nothing else is wrong with those. */
  readonly newer: Fault | null;
  readonly chains: number;
  readonly tree: TreeHead | null;
  readonly advisories: readonly Advisory[];
  readonly responsesUnchecked: number;
}

interface JudgeOptions {
  readonly crypto: ReceiptCrypto;
  readonly keys: KeyResolver;
  readonly responseTo: ResponseTo;
}

/** A ledger of ours: one root chain, sub-chains that begin at its tip, one tree over all. */
export class LedgerJudge implements Judge {
  readonly bytes = "canonical";
  readonly #verifier: LedgerVerifier;

  constructor({ keys, crypto, responseTo }: JudgeOptions, witnessed: readonly TreeHead[]) {
    this.#verifier = new LedgerVerifier({ crypto, keys, responseTo, bytes: this.bytes, witnessed });
  }

  get fault(): Fault | null {
    return this.#verifier.fault;
  }

  get publicKey(): Uint8Array | null {
    return this.#verifier.publicKey;
  }

  get completed(): readonly Uint8Array[] {
    return this.#verifier.completed;
  }

  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined {
    return this.#verifier.feedPrechecked(raw, precheck);
  }

  async finish(): Promise<JudgeReport> {
    return { ...(await this.#verifier.finish()), fault: this.fault };
  }
}

/** Finds what witnesses remember of a ledger, by its root chain. */
export type WitnessedOf = (rootChainId: string) => readonly TreeHead[];

/**
 * Chains next to each other, as Agent Receipts' own tools keep them: each is by itself. In a store that may hold ledgers of ours, each of those is
 * checked as a whole; elsewhere a stranger's receipt at the beginning would make a ledger of ours pass without its root.
 */
export class ChainsJudge implements Judge {
  readonly bytes = "any";
  /** Nobody keeps the trees of ledgers that are among others. */
  readonly completed: readonly Uint8Array[] = [];
  readonly #options: JudgeOptions;
  readonly #witnessedOf: WitnessedOf | null;
  readonly #shared: Shared;
  readonly #chains = new Map<string, ChainVerifier>();
  /** By each of their chains. */
  readonly #ledgers = new Map<string, LedgerVerifier>();
  #lastKey: Uint8Array | null = null;
  #count = 0;

  constructor(options: JudgeOptions, witnessedOf: WitnessedOf | null = null) {
    this.#options = options;
    this.#witnessedOf = witnessedOf;
    this.#shared = newShared(options.crypto);
  }

  get fault(): Fault | null {
    return this.#shared.faults.value;
  }

  get publicKey(): Uint8Array | null {
    return this.#lastKey;
  }

  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined {
    const index = this.#count;
    this.#count += 1;
    if (this.fault !== null) return undefined;
    const facts = precheck.kind === "receipt" ? precheck.facts : null;
    if (facts?.isOurs) return this.#admitOurs(raw, { precheck, facts, index });
    const chain = this.#chainOf(facts);
    chain.admit(precheck.kind === "malformed" ? precheck : { ...precheck, raw }, index);
    this.#lastKey = chain.key?.publicKey ?? null;
    return this.#shared.signatures.room();
  }

  #admitOurs(
    raw: Uint8Array,
    { precheck, facts, index }: { readonly precheck: Precheck; readonly facts: ReceiptFacts; readonly index: number },
  ): Promise<void> | undefined {
    if (this.#witnessedOf === null) {
      const detail = `chain ${facts.chainId} belongs to a ledger of Countersign's, which has to begin with its root`;
      this.#shared.faults.note({ code: "CHAIN_MISMATCH", index, detail });
      return undefined;
    }
    const ledger = this.#ledgerOf(facts, this.#witnessedOf);
    const room = ledger.feedPrechecked(raw, precheck, index);
    this.#lastKey = ledger.publicKey;
    return room;
  }

  /** A chain of no known ledger begins one: only a root may. */
  #ledgerOf({ chainId, parentChainRef }: ReceiptFacts, witnessedOf: WitnessedOf): LedgerVerifier {
    const parent = parentChainRef === null ? undefined : this.#ledgers.get(parentChainRef.chain_id);
    const known = this.#ledgers.get(chainId) ?? parent;
    const ledger = known ?? this.#newLedger(witnessedOf(chainId));
    this.#ledgers.set(chainId, ledger);
    return ledger;
  }

  #newLedger(witnessed: readonly TreeHead[]): LedgerVerifier {
    return new LedgerVerifier({ ...this.#options, bytes: this.bytes, witnessed }, this.#shared);
  }

  #chainOf(facts: ReceiptFacts | null): ChainVerifier {
    const known = facts === null ? undefined : this.#chains.get(facts.chainId);
    if (known !== undefined) return known;
    const made = new ChainVerifier({ ...this.#options, bytes: this.bytes }, this.#shared);
    if (facts !== null) this.#chains.set(facts.chainId, made);
    return made;
  }

  async finish(): Promise<JudgeReport> {
    const chains = await Promise.all([...this.#chains.values()].map((chain) => chain.finish()));
    const ledgers = await Promise.all([...new Set(this.#ledgers.values())].map((ledger) => ledger.finish()));
    const [first, second] = ledgers;
    return {
      fault: this.fault,
      newer: this.#shared.newer.fault,
      chains: chains.length + this.#ledgers.size,
      tree: first !== undefined && second === undefined ? first.tree : null,
      advisories: this.#shared.advisor.advisories(),
      responsesUnchecked: [...chains, ...ledgers].reduce((sum, { responsesUnchecked }) => sum + responsesUnchecked, 0),
    };
  }
}
