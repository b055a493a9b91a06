import { fromBase64Url } from "../crypto/base64.ts";
import { equalBytes } from "../crypto/bytes.ts";
import { didOfKey, keyOfDid } from "../keys/did-key.ts";
import type { ReceiptFacts } from "../verify/examine.ts";
import type { Trust } from "./trust.ts";

/** The keys of one chain, in the order in which they signed. */
interface Line {
  readonly isLedger: boolean;
  readonly keys: Uint8Array[];
  method: string;
  /** Of proofs that name a key without holding it: the key that verifies the next receipt. */
  named: Uint8Array | null;
  hasChanged: boolean;
}

/** Which keys signed: of a ledger of ours its root chain, of any other chain its own. The judge has checked that they did. */
export class Signers {
  readonly #lines = new Map<string, Line>();
  readonly #resolved = new Map<string, Uint8Array>();

  /** The key that the proofs of a chain were found to name. */
  resolve(chainId: string, key: Uint8Array): void {
    this.#resolved.set(chainId, key);
  }

  note(facts: ReceiptFacts): void {
    const { chainId, verificationMethod: method, rotation } = facts;
    const line = this.#lines.get(chainId) ?? this.#begin(facts);
    if (line === null) return;
    if (line.method !== method || line.hasChanged) addKey(line, method);
    line.hasChanged = rotation !== null;
    if (rotation !== null) line.named = fromBase64Url(rotation.new_public_key.slice(1));
  }

  /** null: sub-chains begin under the root's key, so whoever vouches for that vouches for them. */
  #begin({ chainId, isOurs, sequence, parentChainRef }: ReceiptFacts): Line | null {
    const isRoot = sequence === 1 && parentChainRef === null;
    if (isOurs && !isRoot && this.#lines.size > 0) return null;
    const named = this.#resolved.get(chainId) ?? null;
    this.#resolved.delete(chainId);
    const line = { isLedger: isOurs, keys: [], method: "", named, hasChanged: false };
    this.#lines.set(chainId, line);
    return line;
  }

  /** Each once. */
  get keys(): Uint8Array[] {
    return once([...this.#lines.values()].flatMap(({ keys }) => keys));
  }

  /** Those that sign checkpoints. */
  get ledgerKeys(): Uint8Array[] {
    return once([...this.#lines.values()].filter(({ isLedger }) => isLedger).flatMap(({ keys }) => keys));
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
