export {
  CanonicalError,
  canonicalize,
  isPlain,
  type Json,
  type NullRule,
  sortedKeys,
  write,
  writeLetters,
  writeText,
} from "./canonicalize.ts";
export { isExactNumber } from "./exact-number.ts";
export { decodeUtf8, JsonError, type JsonFault, parseJson, readJson } from "./read-json.ts";
export { findInCanonical } from "./scan-canonical.ts";
