export {
  beginningOf,
  chainIdOf,
  emittedReceipt,
  epochOf,
  firstUnder,
  headOf,
  LedgerTransaction,
  type Origin,
  type SealedReceipt,
  type TreeEdge,
  treeHeadAt,
} from "./append-receipts.ts";
export { entryIn, invalid } from "./entry-in.ts";
export { type LookedFor, receiptIn, receiptsIn } from "./find-receipts.ts";
export { keyLineIn, keysOnRecord, publicKeysIn, refuseTooManyChanges } from "./keys-on-record.ts";
export { chainIn, chainsIn } from "./read-chains.ts";
export { SPANS } from "./receipt-spans.ts";
export { treeNodeIn } from "./tree-node.ts";
