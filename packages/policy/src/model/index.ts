export {
  EFFECT_KINDS,
  type Effect,
  type EffectKind,
  LAYERS,
  type Layer,
  type NamedScript,
  RISK_LEVELS,
  type RiskLevel,
  type Span,
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
export { type EffectDetails, makeEffect } from "./make-effect.ts";
export { describeProblems } from "./mistyped-keys.ts";
export { rank, reasons, worst } from "./risk.ts";
