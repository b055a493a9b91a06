import type { Store } from "@countersign/store";

/** What a story is told from: a store, also one that is only read. */
export type RecordReader = Pick<
  Store,
  | "receiptBy"
  | "receiptsOf"
  | "findReceipts"
  | "proposal"
  | "proposalsNamed"
  | "approval"
  | "device"
  | "treeNode"
  | "newestCheckpoint"
>;
