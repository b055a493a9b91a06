import type { RecordItem } from "@countersign/receipts";

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
  /** Another program's, in which ledgers of ours may be among other chains. */
  readonly isMixed?: boolean;
  /** Nodes and checkpoints that belong to none of its receipts. */
  readonly strayRows?: number;
  batches(): AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>;
  /** How much of it was read, from 0 to 1. */
  fraction(): number;
  /** Lets go of what it holds open, where it does. */
  close?(): void;
}
