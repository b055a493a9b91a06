import {
  type Advisory,
  type BytesRule,
  ChainVerifier,
  type Fault,
  type KeyResolver,
  LedgerVerifier,
  type Precheck,
  type ReceiptFacts,
  type TreeHead,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";

/** What goes through the receipts in their order, once each was looked at by itself. */
export interface Judge {
  /** How strict it is about bytes: ours are as we write them, others' needn't be. */
  readonly bytes: BytesRule;
  readonly fault: Fault | null;
  /** The key that the next receipts are likely to be signed with. */
  readonly publicKey: Uint8Array | null;
  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined;
  finish(): Promise<JudgeReport>;
}

export interface JudgeReport {
  readonly fault: Fault | null;
  readonly chains: number;
  readonly tree: TreeHead | null;
  readonly advisories: readonly Advisory[];
  readonly responsesUnchecked: number;
}

const crypto = nodeCrypto();

/** A ledger of ours: one root chain, sub-chains that begin at its tip, one tree over all. */
export class LedgerJudge implements Judge {
  readonly bytes = "canonical";
  readonly #verifier: LedgerVerifier;

  constructor(keys: KeyResolver, witnessed: readonly TreeHead[]) {
    this.#verifier = new LedgerVerifier({ crypto, keys, bytes: this.bytes, witnessed });
  }

  get fault(): Fault | null {
    return this.#verifier.fault;
  }

  get publicKey(): Uint8Array | null {
    return this.#verifier.publicKey;
  }

  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined {
    return this.#verifier.feedPrechecked(raw, precheck);
  }

  finish(): Promise<JudgeReport> {
    return this.#verifier.finish();
  }
}

/** Chains beside each other, as Agent Receipts' own tools keep them: each is by itself. */
export class ChainsJudge implements Judge {
  readonly bytes = "any";
  readonly #keys: KeyResolver;
  readonly #chains = new Map<string, ChainVerifier>();
  #fault: Fault | null = null;
  #last: ChainVerifier | null = null;
  #count = 0;

  constructor(keys: KeyResolver) {
    this.#keys = keys;
  }

  get fault(): Fault | null {
    return this.#fault;
  }

  get publicKey(): Uint8Array | null {
    return this.#last?.key?.publicKey ?? null;
  }

  admit(raw: Uint8Array, precheck: Precheck): undefined {
    const index = this.#count;
    this.#count += 1;
    if (this.#fault !== null) return;
    if (precheck.kind === "receipt" && precheck.facts.isOurs) {
      // Or a stranger's receipt at the beginning would make a ledger of ours pass without its root.
      const detail = `chain ${precheck.facts.chainId} belongs to a ledger of Countersign's, which has to begin with its root`;
      this.#fault = { code: "CHAIN_MISMATCH", index, detail };
      return;
    }
    const chain = this.#chainOf(precheck.kind === "receipt" ? precheck.facts : null);
    chain.admit(precheck.kind === "malformed" ? precheck : { ...precheck, raw }, index);
    this.#fault = chain.fault;
    this.#last = chain;
  }

  #chainOf(facts: ReceiptFacts | null): ChainVerifier {
    const known = facts === null ? undefined : this.#chains.get(facts.chainId);
    if (known !== undefined) return known;
    const made = new ChainVerifier({ crypto, keys: this.#keys, bytes: this.bytes });
    if (facts !== null) this.#chains.set(facts.chainId, made);
    return made;
  }

  async finish(): Promise<JudgeReport> {
    const reports = await Promise.all([...this.#chains.values()].map((chain) => chain.finish()));
    return {
      fault: this.#fault,
      chains: reports.length,
      tree: null,
      advisories: reports.flatMap(({ advisories }) => advisories).sort((one, other) => one.index - other.index),
      responsesUnchecked: reports.reduce((sum, { responsesUnchecked }) => sum + responsesUnchecked, 0),
    };
  }
}
