import { keyOfDid } from "../keys/did-key.ts";
import type { ReceiptFacts } from "../verify/examine.ts";
import type { Trust } from "./trust.ts";

/** Which keys signed: of a ledger its root chain, of others' records each chain. The judge has checked that they did. */
export class Signers {
  readonly #chains = new Map<string, Set<string>>();
  #isLedger: boolean | undefined;

  note({ chainId, verificationMethod, isOurs }: ReceiptFacts): void {
    this.#isLedger ??= isOurs;
    const known = this.#chains.get(chainId);
    if (known !== undefined) known.add(verificationMethod);
    // Sub-chains begin under the root's key: whoever vouches for that vouches for them.
    else if (!this.#isLedger || this.#chains.size === 0) this.#chains.set(chainId, new Set([verificationMethod]));
  }

  /** Of the first chain. */
  get rootChainId(): string | null {
    return this.#chains.keys().next().value ?? null;
  }

  get keys(): Uint8Array[] {
    const named = [...this.#chains.values()].flatMap((methods) => [...methods]);
    return named.map(keyOfDid).filter((key) => key !== null);
  }

  /**
   * Any key of a chain's line will do: an earlier one committed to those after it, and a later one signed on top of all
   * before. A proof that doesn't hold its key was checked with one of the trusted.
   */
  areTrusted(trust: Trust): boolean {
    return [...this.#chains.values()].every((methods) => [...methods].some((method) => isTrusted(method, trust)));
  }
}

function isTrusted(method: string, trust: Trust): boolean {
  const key = keyOfDid(method);
  return key === null ? trust.keys.length > 0 : trust.has(key);
}
