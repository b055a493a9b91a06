export { calculates, readArithmetic, withoutNumbers } from "./arithmetic.ts";
export { findCarried } from "./carriers.ts";
export {
  type Call,
  type Carried,
  type Draft,
  type DraftPart,
  type Followup,
  knowledgeOf,
  markOpaque,
  noteHidden,
  type Sender,
  senderAt,
  spanIn,
} from "./draft.ts";
export { isIgnored, judgeVariable, PLAIN_VARIABLE, refusedInEnv } from "./environment.ts";
export { readAssigned, readFields, readText, readWord } from "./expand.ts";
export {
  compileOptions,
  type OptionTable,
  type ParsedOptions,
  parseOptions,
  type Splitting,
  splitOptions,
} from "./options.ts";
export { placesOf, type ResolvedPath, resolveGuess, resolvePath } from "./resolve.ts";
export {
  append,
  arrayValue,
  assign,
  countNames,
  type DefinedFunction,
  type Definition,
  type Directory,
  define,
  doubt,
  doubtSince,
  enterLoop,
  type Frame,
  fork,
  type Knowledge,
  knownValue,
  newShell,
  positionalOf,
  type Snapshot,
  snapshot,
  startShell,
  UNKNOWN,
  undefine,
  type Value,
  wordValue,
} from "./state.ts";
export { fillIn, unwrap } from "./wrappers.ts";
