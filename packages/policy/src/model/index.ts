export type { Classification, Part } from "./classification.ts";
export type { Decision } from "./decision.ts";
export {
  type Effect,
  type EffectDetails,
  makeEffect,
  type NamedScript,
  rank,
  reasons,
  type Span,
  shellEffect,
  worst,
} from "./effect.ts";
export {
  MAX_ASSIGNMENTS,
  MAX_BRACE_WORDS,
  MAX_COMMAND_LENGTH,
  MAX_COMMANDS,
  MAX_COPIES,
  MAX_GUESSES,
  MAX_HIDDEN,
  MAX_NESTING,
  MAX_OPENINGS,
  MAX_STEPS,
  MAX_TARGETS,
  MAX_UNROLLED_LENGTH,
  MAX_UNWRAP_DEPTH,
  MAX_VALUE_LENGTH,
  MAX_WORDS,
} from "./limits.ts";
export { ASSUMED_MACHINE, type Machine } from "./machine.ts";
export { basename, isInside, isInsideAny, normalize } from "./path.ts";
export { compilePattern } from "./pattern.ts";
export { literalWord, textOf, unknownWord, WILD, type Word, type WordShape, worse } from "./word.ts";
