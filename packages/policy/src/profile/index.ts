export { type Assessment, assess, underEnforcement } from "./assess.ts";
export { isEntryWithin } from "./compare-profiles.ts";
export { DEFAULT_CEILING, findCovering, findLoose, isSafe, namesBoth } from "./cover-part.ts";
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
export { type Denial, type DeniedEffect, deniedEffects, describeSimilar, findRepeated, findSimilar } from "./denial.ts";
export { describeLayerChange } from "./describe-layer-change.ts";
export { describeWidening } from "./describe-widening.ts";
export {
  type EffectiveProfile,
  effectiveProfile,
  type LayeredEntry,
  type LayerFile,
  type Origin,
} from "./effective-profile.ts";
export { holdCode, holdsCode, leavesCodeOpen } from "./hold-code.ts";
export { isInForce, type Moment } from "./in-force.ts";
export { candidates, isNamed, looseCandidates } from "./index-entries.ts";
export { type Examples, examplesSchema, type LayerBlock, POLICY_LAYERS, type PolicyLayer, readLayer } from "./layer.ts";
export { meetProfiles, type Settings } from "./meet-profiles.ts";
export { isOpenToCode } from "./open-code.ts";
export {
  askFallbackSchema,
  askSchema,
  assuranceSchema,
  type Ceiling,
  ceilingSchema,
  type Entry,
  entrySchema,
  type Grant,
  grantSchema,
  MAX_ENTRIES,
  MAX_GRANTS,
  MAX_PATTERN_LENGTH,
  MAX_TIMEOUT_MS,
  type Profile,
  type ProfileReading,
  profileSchema,
  readProfile,
  sandboxSchema,
  securitySchema,
  settingsSchema,
  wantedEntrySchema,
} from "./profile.ts";
