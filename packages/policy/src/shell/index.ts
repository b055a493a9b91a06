export type { Classification, ClassifyContext, Part } from "./classification.ts";
export { findSender, senderAt } from "./download-sender.ts";
export {
  type Call,
  type Directory,
  type Draft,
  type DraftPart,
  type Followup,
  type Frame,
  knowledgeOf,
  markOpaque,
  noteHidden,
  spanIn,
} from "./draft.ts";
export { readAssigned, readFields, readText, readWord } from "./expand-word.ts";
export { type Carried, findCarried } from "./find-carried.ts";
export { isIgnored, judgeVariable, PLAIN_VARIABLE, refusedInEnv } from "./judge-environment.ts";
export { NO_MACHINE } from "./no-machine.ts";
export { compileOptions, type OptionTable, type ParsedOptions, parseOptions, type Splitting } from "./parse-options.ts";
export { calculates, readArithmetic } from "./read-arithmetic.ts";
export { type Knowledge, literalWord, textOf, WILD, type WordReading } from "./read-word.ts";
export {
  basename,
  isInside,
  isInsideAny,
  normalize,
  placesOf,
  type ResolvedPath,
  resolveGuess,
  resolvePath,
} from "./resolve-path.ts";
export {
  append,
  arrayValue,
  assign,
  countNames,
  type DefinedFunction,
  type Definition,
  define,
  doubt,
  doubtSince,
  enterLoop,
  fork,
  knownValue,
  newShell,
  positionalOf,
  snapshot,
  startShell,
  UNKNOWN,
  undefine,
  type Value,
  wordValue,
} from "./shell-state.ts";
export { splitOptions } from "./split-options.ts";
export { maybe, once, type Step, type Walker } from "./step.ts";
export { withoutNumbers } from "./tells-number.ts";
export { fillIn, unwrap } from "./unwrap.ts";
