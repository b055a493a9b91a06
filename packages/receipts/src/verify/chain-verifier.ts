import { CanonicalError } from "../canonical/index.ts";
import { didUrlOfKey, equalBytes, type ReceiptCrypto } from "../crypto/index.ts";
import { followRotation, hashObject, type KeyInForce, type Malformed } from "../format/index.ts";
import { Advisor, type Advisory } from "./advisor.ts";
import {
  type BytesRule,
  type Examined,
  examineReceipt,
  type Precheck,
  type ReceiptFacts,
  type SignatureVerdict,
} from "./check-receipt.ts";
import { type Fault, type FaultCode, FirstFault, faultOf, malformedAt, NewerReceipts } from "./fault.ts";
import type { KeyResolver } from "./key-resolver.ts";
import { Signatures } from "./signatures.ts";
import { namesKey } from "./verify-receipt.ts";

export interface ChainOptions {
  readonly crypto: ReceiptCrypto;
  readonly keys: KeyResolver;
  readonly bytes?: BytesRule;
  /** A receipt that somebody remembers: at its place there must be this one. */
  readonly expectHead?: ExpectedHead;
  /** The chain must have been closed. */
  readonly requireTerminal?: boolean;
  readonly responseTo?: ResponseTo;
}

/** The response to a receipt's action, where it is at hand; undefined where it isn't. */
export type ResponseTo = (receiptId: string) => unknown;

export interface ExpectedHead {
  readonly sequence: number;
  readonly hash: string;
}

export interface ChainReport {
  readonly isWhole: boolean;
  /** The first thing wrong; null when whole. What comes after it wasn't looked at. */
  readonly fault: Fault | null;
  /** Receipts read. */
  readonly count: number;
  readonly chainId: string | null;
  readonly issuerId: string | null;
  readonly head: ExpectedHead | null;
  /** How the chain says that it ended; `unknown` where it doesn't: open, crashed, or cut. */
  readonly ending: "complete" | "interrupted" | "unknown";
  /** The key in force at the end. */
  readonly publicKey: Uint8Array | null;
  readonly advisories: readonly Advisory[];
  /** Responses that were hashed and weren't at hand. */
  readonly responsesUnchecked: number;
}

/** What the chains of one ledger have together. */
export interface Shared {
  readonly faults: FirstFault;
  readonly newer: NewerReceipts;
  readonly signatures: Signatures;
  readonly advisor: Advisor;
}

export function newShared(crypto: ReceiptCrypto): Shared {
  return {
    faults: new FirstFault(),
    newer: new NewerReceipts(),
    signatures: new Signatures(crypto),
    advisor: new Advisor(),
  };
}

/** What is known after the last receipt: the state that the next is held against. */
interface ChainState {
  readonly facts: ReceiptFacts;
  readonly key: KeyState;
}

interface KeyState extends KeyInForce {
  readonly didUrl: string;
}

/**
 * Checks one chain, receipt after receipt in their order, in memory that doesn't grow. Finding nothing proves that nothing
 * inside was changed, removed or reordered since it was signed, and that one line of keys signed it all. It doesn't
 * prove whose keys those are (see KeyResolver), that no tail was cut off (see expectHead), or that what was written is true.
 */
export class ChainVerifier {
  readonly #options: ChainOptions;
  readonly #faults: FirstFault;
  readonly #newer: NewerReceipts;
  readonly #signatures: Signatures;
  readonly #advisor: Advisor;
  /** The chain that this one goes on from, by its id, which may be its own; for advice. */
  readonly #beginning: string | null;
  #state: ChainState | null = null;
  #count = 0;
  #responsesUnchecked = 0;
  #hasSeenExpected = false;

  constructor(options: ChainOptions, shared: Shared = newShared(options.crypto), beginning: string | null = null) {
    this.#options = options;
    this.#beginning = beginning;
    this.#faults = shared.faults;
    this.#newer = shared.newer;
    this.#signatures = shared.signatures;
    this.#advisor = shared.advisor;
  }

  get fault(): Fault | null {
    return this.#faults.value;
  }

  get head(): ExpectedHead | null {
    return this.#state?.facts ?? null;
  }

  get key(): KeyInForce | null {
    return this.#state?.key ?? null;
  }

  get beginning(): string {
    return this.#beginning ?? this.#state?.facts.chainId ?? "";
  }

  get responsesUnchecked(): number {
    return this.#responsesUnchecked;
  }

  /** The next receipt's bytes. Wait for the promise where there is one: too many checks are under way. */
  feed(raw: Uint8Array): Promise<void> | undefined {
    if (this.fault === null) this.admit(examineReceipt(raw, this.#options.crypto, this.#options.bytes), this.#count);
    return this.#signatures.room();
  }

  /** The next receipt as a worker has found it. Its bytes are needed only where the worker guessed another key. */
  feedPrechecked(raw: Uint8Array, precheck: Precheck): Promise<void> | undefined {
    if (this.fault !== null) return undefined;
    this.admit(precheck.kind === "malformed" ? precheck : { ...precheck, raw }, this.#count);
    return this.#signatures.room();
  }

  /** For a ledger of several chains, which counts its receipts itself. */
  admit(found: Signed | Malformed, index: number): void {
    this.#count += 1;
    if (found.kind === "malformed") this.#faults.note(malformedAt(index, found));
    else this.#admitFacts(found.facts, index, found);
  }

  #admitFacts(facts: ReceiptFacts, index: number, signed: Signed): void {
    const fault = (code: FaultCode, detail: string) => this.#faults.note(faultOf(facts, { code, index, detail }));
    this.#newer.note(facts, index);
    const before = this.#state;
    if (before !== null && facts.chainId !== before.facts.chainId) {
      return fault("CHAIN_MISMATCH", `chain ${facts.chainId} in chain ${before.facts.chainId}`);
    }
    if (before !== null && facts.issuerId !== before.facts.issuerId) {
      return fault("ISSUER_MISMATCH", `issuer ${facts.issuerId} in the chain of ${before.facts.issuerId}`);
    }
    // Wrong by itself, whoever signed it: only a first receipt has nothing before it.
    if ((facts.sequence === 1) !== (facts.previous === null)) {
      return fault("BROKEN_LINK", `sequence ${facts.sequence} names ${facts.previous ?? "no receipt"} before it`);
    }
    const key = before?.key ?? this.#resolve(facts);
    if (key === null) return fault("UNRESOLVABLE_DID", `no key for ${facts.verificationMethod}`);
    if (facts.verificationMethod !== key.didUrl && !namesKey(facts, key.publicKey)) {
      fault("INVALID_SIGNATURE", `${facts.verificationMethod} isn't the key in force`);
    }
    this.#checkSignature(key, signed, (isValid) => {
      if (!isValid) fault("INVALID_SIGNATURE", "changed since it was signed, or signed by another key");
    });
    this.#checkPlace(facts, before?.facts ?? null, fault);
    this.#checkMemory(facts, fault);
    this.#checkResponse(facts, fault);
    const next = this.#nextKey(facts, key);
    if (next === null)
      return fault("INVALID_ROTATION", "a successor that wasn't committed to, or isn't described right");
    this.#state = { facts, key: next };
    this.#advisor.note(facts, index, this.#beginning ?? facts.chainId);
  }

  #resolve({ verificationMethod, issuerId, chainId, nextKey }: ReceiptFacts): KeyState | null {
    const found = this.#options.keys({ verificationMethod, issuerId, chainId });
    if (found === null) return null;
    return withDid(found instanceof Uint8Array ? { publicKey: found, nextKey } : found);
  }

  #checkSignature(key: KeyState, signed: Signed, answer: (isValid: boolean) => void): void {
    if ("verdict" in signed && equalBytes(signed.verdict.publicKey, key.publicKey))
      return answer(signed.verdict.isValid);
    const examined = "verdict" in signed ? examineReceipt(signed.raw, this.#options.crypto) : signed;
    // A worker that calls bytes a receipt which are none is a bug in it, not in the record; it verifies nothing.
    if (examined.kind === "malformed") return answer(false);
    const { message, signature } = examined;
    this.#signatures.ask({ publicKey: key.publicKey, message, signature }, answer);
  }

  #checkPlace(facts: ReceiptFacts, before: ReceiptFacts | null, fault: NoteFault): void {
    const { sequence, previous } = facts;
    if (before?.ending != null) fault("AFTER_TERMINAL", `the chain was ${before.ending} at ${before.sequence}`);
    const isSibling = sequence === before?.sequence && previous === before.previous && facts.hash !== before.hash;
    if (isSibling) fault("FORKED", `two receipts with the sequence ${sequence}`);
    const expected = (before?.sequence ?? 0) + 1;
    if (sequence !== expected) fault("SEQUENCE_GAP", `sequence ${sequence} where ${expected} belongs`);
    if (previous !== (before?.hash ?? null)) fault("BROKEN_LINK", "doesn't name the receipt before it");
  }

  #checkMemory(facts: ReceiptFacts, fault: NoteFault): void {
    const { expectHead } = this.#options;
    if (expectHead?.sequence !== facts.sequence) return;
    this.#hasSeenExpected = true;
    if (expectHead.hash !== facts.hash) fault("FORKED", `${expectHead.hash} was expected at ${facts.sequence}`);
  }

  #checkResponse({ id, responseHash }: ReceiptFacts, fault: NoteFault): void {
    if (responseHash === null) return;
    const response = this.#options.responseTo?.(id);
    if (response === undefined) this.#responsesUnchecked += 1;
    else if (!isHashOf(response, responseHash, this.#options.crypto)) {
      fault("RESPONSE_MISMATCH", `the response to ${id} isn't the one that was hashed`);
    }
  }

  /** The key that the next receipt must be signed with; null for a rotation that leads nowhere. */
  #nextKey(facts: ReceiptFacts, key: KeyState): KeyState | null {
    if (facts.rotation === null) {
      // Only the first receipt and a rotation may commit: whoever steals the key could otherwise commit to his own.
      return facts.nextKey === null || facts.nextKey === key.nextKey ? key : null;
    }
    const publicKey = followRotation(facts.rotation, key, this.#options.crypto);
    if (publicKey === null || (key.nextKey !== null && facts.nextKey === null)) return null;
    return withDid({ publicKey, nextKey: facts.nextKey });
  }

  async finish(): Promise<ChainReport> {
    await this.#signatures.settle();
    this.checkEnd(this.#count);
    const last = this.#state?.facts ?? null;
    const fault = this.fault ?? this.#newer.fault;
    return {
      isWhole: fault === null,
      fault,
      count: this.#count,
      chainId: last?.chainId ?? null,
      issuerId: last?.issuerId ?? null,
      head: last === null ? null : { sequence: last.sequence, hash: last.hash },
      ending: last?.ending ?? "unknown",
      publicKey: this.key?.publicKey ?? null,
      advisories: this.#advisor.advisories(),
      responsesUnchecked: this.#responsesUnchecked,
    };
  }

  /** What is missing at the end; only of a chain in which nothing else is wrong. */
  checkEnd(index: number): void {
    if (this.fault !== null) return;
    const { expectHead, requireTerminal } = this.#options;
    const fault = (detail: string) => this.#faults.note({ code: "TRUNCATED", index, detail });
    if (expectHead !== undefined && !this.#hasSeenExpected) fault(`ends before the sequence ${expectHead.sequence}`);
    if (requireTerminal === true && this.#state?.facts.ending == null) fault("has no terminal receipt");
  }
}

type NoteFault = (code: FaultCode, detail: string) => void;

/** What has no canonical form was never hashed. */
export function isHashOf(response: unknown, hash: string, crypto: ReceiptCrypto): boolean {
  try {
    return hashObject(response, crypto) === hash;
  } catch (cause) {
    if (cause instanceof CanonicalError) return false;
    throw cause;
  }
}

/** With what its signature is over, or with a worker's word on it. */
export type Signed =
  | Examined
  | {
      readonly kind: "receipt";
      readonly facts: ReceiptFacts;
      readonly verdict: SignatureVerdict;
      readonly raw: Uint8Array;
    };

function withDid(key: KeyInForce): KeyState {
  return { ...key, didUrl: didUrlOfKey(key.publicKey) };
}
