import { didOfKey, equalBytes, fromBase64Url, keyOfDid } from "../crypto/index.ts";
import type { ReceiptFacts } from "../verify/index.ts";
import type { Trust } from "./trust.ts";

/** The keys of one chain, in the order in which they signed. */
interface Line {
  readonly isLedger: boolean;
  readonly keys: Uint8Array[];
  method: string;
  /** The key that verifies the next receipt: after a change, and of proofs that name a key without holding it. */
  named: Uint8Array | null;
  hasChanged: boolean;
}

/** Which keys signed: of a ledger of ours all its chains, of any other chain its own. The judge has checked that they did. */
export class Signers {
  /** By the chain that begins each: a ledger's root, and any other chain. */
  readonly #lines = new Map<string, Line>();
  /** By each sub-chain of a ledger. */
  readonly #ledgers = new Map<string, Line>();
  readonly #resolved = new Map<string, Uint8Array>();

  /** The key that the proofs of a chain were found to name. */
  resolve(chainId: string, key: Uint8Array): void {
    this.#resolved.set(chainId, key);
  }

  note(facts: ReceiptFacts): void {
    const { chainId, verificationMethod: method, rotation } = facts;
    const line = this.#lines.get(chainId) ?? this.#ledgers.get(chainId) ?? this.#begin(facts);
    if (line.method !== method || line.hasChanged) addKey(line, method);
    line.hasChanged = rotation !== null;
    if (rotation !== null) line.named = fromBase64Url(rotation.new_public_key.slice(1));
  }

  /** Sub-chains begin under the root's key, so whoever vouches for that vouches for them. */
  #begin({ chainId, isOurs, sequence, parentChainRef }: ReceiptFacts): Line {
    const isRoot = sequence === 1 && parentChainRef === null;
    const ledger = isOurs && !isRoot ? this.#ledgerWith(parentChainRef?.chain_id) : undefined;
    if (ledger !== undefined) {
      this.#ledgers.set(chainId, ledger);
      return ledger;
    }
    const named = this.#resolved.get(chainId) ?? null;
    this.#resolved.delete(chainId);
    const line = { isLedger: isOurs, keys: [], method: "", named, hasChanged: false };
    this.#lines.set(chainId, line);
    return line;
  }

  /** Of a selection the receipt that names the root may be missing: it is of one ledger. */
  #ledgerWith(rootChainId: string | undefined): Line | undefined {
    return this.#lines.get(rootChainId ?? "") ?? [...this.#lines.values()].find(({ isLedger }) => isLedger);
  }

  /** Each once. */
  get keys(): Uint8Array[] {
    return once([...this.#lines.values()].flatMap(({ keys }) => keys));
  }

  /** Those that sign checkpoints: also the one in force, which may have signed nothing else here. */
  get ledgerKeys(): Uint8Array[] {
    const ledgers = [...this.#lines.values()].filter(({ isLedger }) => isLedger);
    return once(ledgers.flatMap(({ keys, named }) => (named === null ? keys : [...keys, named])));
  }

  /**
   * Accepts any key of a chain's line: an earlier one was followed to those after it, and a later one signed on top of all
   * before.
   */
  areTrusted(trust: Trust): boolean {
    return this.#lines.size > 0 && [...this.#lines.values()].every(({ keys }) => keys.some((key) => trust.has(key)));
  }
}

function addKey(line: Line, method: string): void {
  line.method = method;
  const key = keyOfDid(method) ?? line.named;
  if (key !== null && !line.keys.some((known) => equalBytes(known, key))) line.keys.push(key);
}

function once(keys: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(keys.map((key) => [didOfKey(key), key])).values()];
}
