import type { KeyObject } from "node:crypto";
import type { StoreError } from "../../ledger/index.ts";
import type { LinkedReceipt, PlacedReceipt, ReceiptRow } from "../base/index.ts";
import type { SharedMessages } from "./shared-signing.ts";

/** Receipts of one transaction, or the end. */
export type WriteOrder =
  | {
      readonly kind: "write";
      readonly path: string;
      /** Where one transaction fails, those of the same generation have nothing to hang on, and aren't written. */
      readonly generation: number;
      /** None: the same as in the order before. To hand one over costs half of a signature. */
      readonly key?: KeyObject;
      readonly publicKey: Uint8Array;
      readonly shared: SharedMessages;
      /** What `packLinked` makes. */
      readonly packed: string;
    }
  | { readonly kind: "close" };

/** What came of it: an error's own code would be lost on the way. */
export type Written =
  /** `before`: the number of the receipt before them. */
  | { readonly kind: "written"; readonly before: number }
  | { readonly kind: "failed"; readonly code: StoreError["code"]; readonly message: string }
  /** One before it failed. */
  | { readonly kind: "loose" }
  | { readonly kind: "closed" };

/** In its place, and what its proof needs beside the message. */
export interface UnpackedReceipt {
  readonly placed: PlacedReceipt;
  readonly proofAt: number;
  readonly date: string;
}

/** What neighbours mostly have in common. */
type About = Omit<ReceiptRow, "atMs" | "idempotencyKey"> & Pick<PlacedReceipt, "chainId">;
type Own = readonly [about: number, number, PlacedReceipt["hash"], number, string | null, number, string];

interface Packed {
  readonly abouts: readonly About[];
  /** About which of them, and what is its own. */
  readonly owns: readonly Own[];
}

/** One text: objects, and lists of texts, take ten times as long to be handed over. */
export function packLinked(receipts: readonly LinkedReceipt[]): string {
  const abouts: About[] = [];
  const owns = receipts.map(({ placed, unsealed }): Own => {
    const { sequence, hash, atMs, idempotencyKey, chainId, type, sessionId, proposalKey, emitter } = placed;
    const about = { chainId, type, sessionId, proposalKey, emitter };
    if (!isSame(about, abouts.at(-1))) abouts.push(about);
    return [abouts.length - 1, sequence, hash, atMs, idempotencyKey, unsealed.proofAt, unsealed.receipt.issuanceDate];
  });
  return JSON.stringify({ abouts, owns } satisfies Packed);
}

export function unpackLinked(packed: string): readonly UnpackedReceipt[] {
  const { abouts, owns } = JSON.parse(packed) as Packed;
  return owns.map(([about, sequence, hash, atMs, idempotencyKey, proofAt, date]) => {
    const { chainId, type, sessionId, proposalKey, emitter } = abouts[about] as About;
    const placed = { type, sessionId, proposalKey, atMs, emitter, idempotencyKey, chainId, sequence, hash };
    return { placed, proofAt, date };
  });
}

function isSame(one: About, other: About | undefined): boolean {
  return (
    one.chainId === other?.chainId &&
    one.type === other.type &&
    one.emitter === other.emitter &&
    one.sessionId === other.sessionId &&
    one.proposalKey === other.proposalKey
  );
}
