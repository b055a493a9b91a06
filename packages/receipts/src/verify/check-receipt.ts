import { fromBase64Url, type ReceiptCrypto } from "../crypto/index.ts";
import {
  type ChainRef,
  type Digest,
  FORMAT,
  hashBytes,
  type KeyRotation,
  type Malformed,
  type MalformedReason,
  malformed,
  type OutcomeStatus,
  type Receipt,
  type Runtime,
  readReceipt,
  readRuntime,
  type Sha256Text,
} from "../format/index.ts";

/** What a chain's check needs of a receipt: small, plain, and so cheap to hand from one thread to another. */
export interface ReceiptFacts {
  readonly id: string;
  readonly hash: Sha256Text;
  readonly issuedAt: string;
  readonly sessionId: string | null;
  readonly peerUid: number | null;
  /** Members of `issuer.runtime` that rows are found by. */
  readonly channel: string | null;
  readonly entry: string | null;
  readonly proposal: string | null;
  readonly attestation: string | null;
  readonly issuerId: string;
  readonly chainId: string;
  readonly sequence: number;
  readonly previous: string | null;
  readonly ending: "complete" | "interrupted" | null;
  readonly verificationMethod: string;
  readonly actionType: string;
  readonly outcome: OutcomeStatus;
  readonly correlationId: string | null;
  readonly idempotencyKey: string | null;
  readonly responseHash: string | null;
  readonly rotation: KeyRotation | null;
  /** Its version, where that is newer than this verifier. */
  readonly newer: string | null;
  /** Written by this library, see FORMAT. */
  readonly isOurs: boolean;
  readonly nextKey: string | null;
  readonly parentChainRef: ChainRef | null;
  readonly continues: ChainRef | null;
  readonly checkpoint: string | null;
}

export interface Examined {
  readonly kind: "receipt";
  readonly facts: ReceiptFacts;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** `canonical`: only bytes as this library writes them, so that nothing at all can be changed unnoticed. */
export type BytesRule = "any" | "canonical";

/** All that can be found out about one receipt by itself, its signature apart. Never throws because of its bytes. */
export function examineReceipt(raw: Uint8Array, crypto: Digest, bytes: BytesRule = "any"): Examined | Malformed {
  const read = readReceipt(raw);
  if (read.kind === "malformed") return read;
  const { receipt, message, newer } = read;
  const refused = (reason: MalformedReason, at = "") =>
    newer === null ? malformed(reason, at) : malformed("NEWER_VERSION", `${newer} ${at || reason}`);
  if (bytes === "canonical" && !read.isCanonical) return refused("NOT_CANONICAL");
  const isOurs = receipt.issuer.runtime?.format === FORMAT;
  const runtime = readRuntime(receipt);
  if (runtime === null && isOurs) return refused("WRONG_SHAPE", ".issuer.runtime");
  if (isOurs && receipt.proof.created !== receipt.issuanceDate) return refused("LOOSE_PROOF", ".proof.created");
  const signature = fromBase64Url(receipt.proof.proofValue.slice(1));
  // The shape has its length and its last bits right.
  if (signature === null) return malformed("WRONG_SHAPE", ".proof.proofValue");
  const facts = factsOf(receipt, { hash: hashBytes(message, crypto), isOurs, newer, runtime: runtime ?? {} });
  return { kind: "receipt", facts, message, signature };
}

interface Derived {
  readonly hash: Sha256Text;
  readonly isOurs: boolean;
  readonly newer: string | null;
  readonly runtime: Runtime;
}

function factsOf(receipt: Receipt, { hash, isOurs, newer, runtime }: Derived): ReceiptFacts {
  const { action, outcome, chain, keyRotation } = receipt.credentialSubject;
  return {
    id: receipt.id,
    hash,
    issuedAt: receipt.issuanceDate,
    sessionId: receipt.issuer.session_id ?? null,
    peerUid: action.peer_credential?.uid ?? null,
    channel: runtimeText(receipt, "channel"),
    entry: runtimeText(receipt, "entry"),
    proposal: runtimeText(receipt, "proposal"),
    attestation: runtimeText(receipt, "attestation"),
    issuerId: receipt.issuer.id,
    chainId: chain.chain_id,
    sequence: chain.sequence,
    previous: chain.previous_receipt_hash,
    ending: chain.terminal === true ? (chain.status ?? "complete") : null,
    verificationMethod: receipt.proof.verificationMethod,
    actionType: action.type,
    outcome: outcome.status,
    correlationId: correlationOf(receipt),
    idempotencyKey: action.idempotency_key ?? null,
    responseHash: outcome.response_hash ?? null,
    rotation: keyRotation ?? null,
    newer,
    isOurs,
    nextKey: runtime.nextKey ?? null,
    parentChainRef: runtime.parentChainRef ?? null,
    continues: runtime.continues ?? null,
    checkpoint: runtime.checkpoint ?? null,
  };
}

function runtimeText({ issuer }: Receipt, name: string): string | null {
  const value = issuer.runtime?.[name];
  return typeof value === "string" ? value : null;
}

/** ADR-0027 calls it `correlator`; the format has `correlation_id`. */
function correlationOf({ credentialSubject }: Receipt): string | null {
  if (credentialSubject.correlation_id != null) return credentialSubject.correlation_id;
  const { correlator } = credentialSubject as { correlator?: unknown };
  return typeof correlator === "string" ? correlator : null;
}

/** What a worker says of a receipt, its signature checked with the key that it was told to expect. */
export type Precheck =
  | Malformed
  | { readonly kind: "receipt"; readonly facts: ReceiptFacts; readonly verdict: SignatureVerdict };

export interface SignatureVerdict {
  readonly publicKey: Uint8Array;
  readonly isValid: boolean;
}

/**
 * The costly part of verifying, for any number of receipts in any order, on any thread. The key is a guess: the chain's
 * own check knows which one was in force, and asks again where it was another.
 */
export async function precheckReceipts(
  raws: readonly Uint8Array[],
  crypto: ReceiptCrypto,
  options: { readonly publicKey: Uint8Array; readonly bytes?: BytesRule },
): Promise<Precheck[]> {
  const answers: Precheck[] = [];
  for (const raw of raws) {
    const examined = examineReceipt(raw, crypto, options.bytes);
    if (examined.kind === "malformed") {
      answers.push(examined);
      continue;
    }
    const { facts, message, signature } = examined;
    const { publicKey } = options;
    const isValid = await crypto.verify({ publicKey, message, signature });
    answers.push({ kind: "receipt", facts, verdict: { publicKey, isValid } });
  }
  return answers;
}
