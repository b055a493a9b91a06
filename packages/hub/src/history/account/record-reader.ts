import type { Store } from "@countersign/store";

/** The part of a store that an account is made from. A read-only store has it too. */
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
