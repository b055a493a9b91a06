import { equalBytes } from "../crypto/index.ts";
import type { Fault, ReceiptFacts } from "../verify/index.ts";
import { RECEIPTS_IN_SPAN, type RecordRow } from "./source.ts";

/** Receipts next to which something else is kept than what follows from them, so that a search or a proof goes wrong. */
export interface RowMismatch {
  readonly count: number;
  readonly firstIndex: number | null;
}

export const NO_MISMATCH: RowMismatch = { count: 0, firstIndex: null };

/**
 * Compares what our own store keeps next to each receipt with what follows from the receipts alone. The key under which a hub told its
 * recorder something is on no receipt, so it isn't compared.
 */
export class RowCheck {
  readonly #span = new SpanCheck();
  #count = 0;
  #first: { readonly index: number; readonly what: string } | null = null;

  note(row: RecordRow | undefined, facts: ReceiptFacts, at: { index: number; nodes: readonly Uint8Array[] }): void {
    if (row === undefined) return;
    const wrongSpan = this.#span.note(row, facts, at.index);
    const wrong = wrongIn(row, facts) ?? wrongNode(row.nodes, at.nodes) ?? wrongCheckpoint(row, facts) ?? wrongSpan;
    if (wrong !== null) this.#add(at.index, wrong);
  }

  /** At the end: rows that belong to no receipt. */
  noteStrays(strayRows: number, count: number): void {
    if (strayRows > 0) this.#add(count, `${strayRows} tree nodes, checkpoints or spans belong to no receipt`);
  }

  #add(index: number, what: string): void {
    this.#count += 1;
    this.#first ??= { index, what };
  }

  get found(): RowMismatch {
    return { count: this.#count, firstIndex: this.#first?.index ?? null };
  }

  get fault(): Fault | null {
    return this.#first && { code: "INDEX_MISMATCH", index: this.#first.index, detail: this.#first.what };
  }
}

/** The times of the receipts since the last span was complete. */
class SpanCheck {
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  note({ span }: RecordRow, { issuedAt }: ReceiptFacts, index: number): string | null {
    const atMs = Date.parse(issuedAt);
    const [fromMs, toMs] = [Math.min(this.#fromMs, atMs), Math.max(this.#toMs, atMs)];
    const isComplete = (index + 1) % RECEIPTS_IN_SPAN === 0;
    this.#fromMs = isComplete ? Number.POSITIVE_INFINITY : fromMs;
    this.#toMs = isComplete ? Number.NEGATIVE_INFINITY : toMs;
    if (span === undefined) return null;
    const isRight = isComplete ? span?.fromMs === fromMs && span.toMs === toMs : span === null;
    return isRight ? null : "the times that are kept of a span aren't those of its receipts";
  }
}

/** Which column says something else than the receipt. */
function wrongIn(row: RecordRow, facts: ReceiptFacts): string | null {
  const isHubs = facts.channel === "countersign";
  const right: readonly (readonly [name: string, isRight: boolean])[] = [
    ["hash", row.hash === facts.hash],
    ["chain_id", row.chainId === facts.chainId],
    ["chain_seq", row.chainSeq === facts.sequence],
    ["at_ms", row.atMs === Date.parse(facts.issuedAt)],
    ["type", row.type === (isHubs ? facts.entry : facts.actionType)],
    // What an emitter claims leads nowhere: neither its session nor its correlator is indexed.
    ["session_id", (row.sessionId ?? "") === (isHubs ? (facts.sessionId ?? "") : "")],
    ["proposal_key", row.proposalKey === (isHubs ? facts.proposal : null)],
    ["emitter", row.emitter === (isHubs ? null : emitterOf(facts))],
    ["idempotency_key", isHubs || row.idempotencyKey === facts.idempotencyKey],
  ];
  const wrong = right.find(([, isRight]) => !isRight);
  return wrong === undefined ? null : `the column ${wrong[0]} says something else than the receipt`;
}

const EMITTED_CHAIN = /:(uid:\d+|sandbox:[\w.-]+)$/;

/** By the chain and by what the recorder signed about who was connected. */
function emitterOf({ chainId, attestation, peerUid }: ReceiptFacts): string | null {
  const chain = EMITTED_CHAIN.exec(chainId)?.[1] ?? null;
  if (chain === null || chain.startsWith("uid:")) return chain;
  return `${attestation === "host-observed" ? "egress" : "relay"}:${peerUid}`;
}

function wrongNode(kept: RecordRow["nodes"], nodes: readonly Uint8Array[]): string | null {
  for (let height = 0; height < Math.max(kept.length, nodes.length); height += 1) {
    const [one, other] = [kept[height], nodes[height]];
    if (one === undefined && other === undefined) continue;
    if (one === undefined || other === undefined || !equalBytes(one, other))
      return `the tree node at height ${height} isn't that of the receipts`;
  }
  return null;
}

function wrongCheckpoint({ checkpoint }: RecordRow, { checkpoint: note, issuedAt }: ReceiptFacts): string | null {
  if (checkpoint === null && note === null) return null;
  if (checkpoint?.note === note && checkpoint?.atMs === Date.parse(issuedAt)) return null;
  return "the checkpoint that is kept isn't the one that the receipt carries";
}
