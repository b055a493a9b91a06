export { type Assessment, assess } from "./assess.ts";
export type { Classification, ClassifyContext, Part } from "./classification.ts";
export { classify } from "./classify.ts";
export { DEFAULT_CEILING } from "./cover.ts";
export { decide, decideOnTimeout } from "./decide.ts";
export {
  type Circumstances,
  DECIDERS,
  type Decider,
  type Decision,
  ENFORCEMENTS,
  type Enforcement,
  JAILS,
  type Jail,
  type Verdict,
} from "./decision.ts";
export { type DerivedEntries, type DeriveOptions, deriveEntries } from "./derive-entries.ts";
export { describeWidening } from "./describe-widening.ts";
export {
  EFFECT_KINDS,
  type Effect,
  type EffectKind,
  LAYERS,
  type Layer,
  RISK_LEVELS,
  type RiskLevel,
  type Span,
} from "./effect.ts";
export {
  type ExplainedEffect,
  type ExplainFacts,
  type Explanation,
  explain,
  explainEffects,
  type MarkedSpan,
} from "./explain.ts";
export { refusedInEnv } from "./judge-environment.ts";
export { meetProfiles } from "./meet-profiles.ts";
export { NO_MACHINE } from "./no-machine.ts";
export {
  askFallbackSchema,
  askSchema,
  assuranceSchema,
  type Ceiling,
  ceilingSchema,
  type Entry,
  entrySchema,
  MAX_TIMEOUT_MS,
  type Profile,
  type ProfileReading,
  profileSchema,
  readProfile,
  sandboxSchema,
  securitySchema,
} from "./profile.ts";
export { ENGINE_VERSION, TABLES } from "./tables.ts";
