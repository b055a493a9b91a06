/** One receipt as it is stored, and where. */
export interface RecordItem {
  /** Untouched: what is verified is what is there. */
  readonly raw: Uint8Array;
  /** Its place as the source numbers it, from 1; absent where it doesn't. */
  readonly seq?: number;
  /** What our own store keeps next to it. No receipt rests on it, but searches and proofs go by it. */
  readonly row?: RecordRow;
}

export interface RecordRow {
  readonly hash: string;
  readonly chainId: string;
  readonly chainSeq: number;
  readonly proposalKey: string | null;
  readonly type: string;
  readonly sessionId: string | null;
  readonly atMs: number;
  readonly emitter: string | null;
  readonly idempotencyKey: string | null;
  /** Of the tree: those that this receipt completed, by their height. */
  readonly nodes: readonly (Uint8Array | undefined)[];
  /** The checkpoint that is kept of all receipts before this one. */
  readonly checkpoint: { readonly note: string; readonly atMs: number } | null;
  /** Between which times the receipts are of which this is the last; null: none is kept. Undefined: this store keeps no spans. */
  readonly span?: { readonly fromMs: number; readonly toMs: number } | null | undefined;
}

/** So many receipts, from the first on, make a span in our store: lists of a time look only in those that touch it. */
export const RECEIPTS_IN_SPAN = 1_024;

/** Something that holds receipts, read once from its beginning to its end, in memory that doesn't grow. */
export interface RecordSource {
  /** It says of itself that it is a ledger of ours. Receipts that look like it are taken for one, too. */
  readonly isLedger: boolean;
  /** Another program's store: chains of anyone's, and ledgers of ours among them, each in the order in which it was written. */
  readonly isMixed?: boolean;
  /** Of our own store: nodes, checkpoints and spans that belong to none of its receipts. */
  readonly strayRows?: number;
  batches(): AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>;
}

/** So many receipts go to a thread at once: enough to be worth the message, few enough to hold several. */
export const RECORD_BATCH = 128;
