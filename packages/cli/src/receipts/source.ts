/** One receipt as it is stored, and where. */
export interface Item {
  /** Untouched: what is verified is what is there. */
  readonly raw: Uint8Array;
  /** Its place as the source numbers it, from 1; absent where it doesn't. */
  readonly seq?: number;
  /** What columns beside it say about it. Nothing rests on them, but a search goes by them. */
  readonly row?: ReceiptRow;
}

export interface ReceiptRow {
  readonly hash: string;
  readonly chainId: string;
  readonly chainSeq: number;
  readonly proposalKey: string | null;
  readonly type: string;
}

export type SourceKind =
  | "countersign" // a database of ours
  | "bundle" // what `export --bundle` wrote
  | "jsonl" // a receipt a line, anyone's
  | "agent-receipts"; // another program's database

/** Something that holds receipts, read once from its beginning to its end, in memory that doesn't grow. */
export interface Source {
  readonly kind: SourceKind;
  readonly path: string;
  /** What it is, for people. */
  readonly what: string;
  /** Checkpoints that it holds about itself, as signed notes. */
  readonly notes: readonly string[];
  batches(): AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;
  /** How much of it was read, from 0 to 1. */
  fraction(): number;
  /** Lets go of what it holds open, where it does. */
  close?(): void;
}

/** So many receipts go to a thread at once: enough to be worth the message, few enough to hold several. */
export const BATCH = 128;
