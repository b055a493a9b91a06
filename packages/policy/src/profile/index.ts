export { type Assessment, assess, findLoose, isSafe, underEnforcement } from "./assess.ts";
export { type Circumstances, type Denial, type DeniedEffect, isInForce, type Moment } from "./circumstances.ts";
export { isEntryWithin, isNarrower } from "./compare.ts";
export { describeLayerChange, describeWidening } from "./describe.ts";
export {
  type EffectiveProfile,
  type Examples,
  effectiveProfile,
  examplesSchema,
  type LayerBlock,
  type LayeredEntry,
  type LayerFile,
  type Origin,
  readLayer,
} from "./layers.ts";
export { meetProfiles, type Settings } from "./meet.ts";
export { describeProblems } from "./mistyped-keys.ts";
export {
  askFallbackSchema,
  askSchema,
  assuranceSchema,
  type Ceiling,
  ceilingSchema,
  DEFAULT_CEILING,
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
