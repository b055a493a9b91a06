export { MS } from "./column.ts";
export { connectToRead, connectToWrite, ensureFile, makePrivate } from "./connect.ts";
export { json, jsonOrNull, ms, msOrNull, text, textOrNull } from "./encode.ts";
export {
  asInvalid,
  type LinkedReceipt,
  type PlacedReceipt,
  placeRow,
  type RawReceipt,
  type ReceiptRow,
  rowOf,
  textOf,
} from "./receipt-row.ts";
export { insertInto, type Row, Statements } from "./statements.ts";
export { translateError } from "./translate-error.ts";
