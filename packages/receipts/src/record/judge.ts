import type { ReceiptCrypto } from "../crypto/port.ts";
import type { Advisory } from "../verify/advisor.ts";
import { ChainVerifier, newShared, type ResponseTo, type Shared } from "../verify/chain-verifier.ts";
import type { BytesRule, Precheck, ReceiptFacts } from "../verify/examine.ts";
import type { Fault } from "../verify/fault.ts";
import type { KeyResolver } from "../verify/key-resolver.ts";
import { LedgerVerifier } from "../verify/ledger-verifier.ts";
import type { TreeHead } from "../verify/tree/check-proof.ts";

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
  readonly #options: JudgeOptions;
  readonly #shared: Shared;
  readonly #chains = new Map<string, ChainVerifier>();
  #last: ChainVerifier | null = null;
  #count = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#shared = newShared(options.crypto);
  }

  get fault(): Fault | null {
    return this.#shared.faults.value;
  }

  get publicKey(): Uint8Array | null {
    return this.#last?.key?.publicKey ?? null;
  }

  admit(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined {
    const index = this.#count;
    this.#count += 1;
    if (this.fault !== null) return undefined;
    if (precheck.kind === "receipt" && precheck.facts.isOurs) {
      // Or a stranger's receipt at the beginning would make a ledger of ours pass without its root.
      const detail = `chain ${precheck.facts.chainId} belongs to a ledger of Countersign's, which has to begin with its root`;
      this.#shared.faults.note({ code: "CHAIN_MISMATCH", index, detail });
      return undefined;
    }
    const chain = this.#chainOf(precheck.kind === "receipt" ? precheck.facts : null);
    chain.admit(precheck.kind === "malformed" ? precheck : { ...precheck, raw }, index);
    this.#last = chain;
    return this.#shared.signatures.room();
  }

  #chainOf(facts: ReceiptFacts | null): ChainVerifier {
    const known = facts === null ? undefined : this.#chains.get(facts.chainId);
    if (known !== undefined) return known;
    const made = new ChainVerifier({ ...this.#options, bytes: this.bytes }, this.#shared);
    if (facts !== null) this.#chains.set(facts.chainId, made);
    return made;
  }

  async finish(): Promise<JudgeReport> {
    const reports = await Promise.all([...this.#chains.values()].map((chain) => chain.finish()));
    return {
      fault: this.fault,
      chains: reports.length,
      tree: null,
      advisories: this.#shared.advisor.advisories(),
      responsesUnchecked: reports.reduce((sum, { responsesUnchecked }) => sum + responsesUnchecked, 0),
    };
  }
}
