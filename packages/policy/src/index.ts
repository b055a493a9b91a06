export type { Credential } from "./catalog/credentials.ts";
export { ENGINE_VERSION, TABLES } from "./catalog/tables.ts";
export { classify } from "./classify/classify.ts";
export { isCall } from "./classify/is-call.ts";
export { readSandboxCall } from "./classify/read-sandbox-call.ts";
export { readToolCall } from "./classify/read-tool-call.ts";
export { type CheckOptions, checkPolicy, type FailedExample, type PolicyCheck } from "./decide/check-policy.ts";
export { decide, decideOnTimeout } from "./decide/decide.ts";
export {
  type ExplainedEffect,
  type ExplainFacts,
  type Explanation,
  explain,
  explainEffects,
  type MarkedSpan,
} from "./decide/explain.ts";
export { findCredentials } from "./decide/find-credentials.ts";
export { mayHandBack } from "./decide/hand-back.ts";
export { type DerivedEntries, type DeriveOptions, deriveEntries } from "./entries/derive-entries.ts";
export { isNarrower } from "./entries/is-narrower.ts";
export { type EntryFault, type EntryWarning, lintEntries } from "./entries/lint-entries.ts";
export { describeScope, offerScopes, type ScopeOffer } from "./entries/offer-scopes.ts";
export { type Planned, planScope, type ScopePlan, type ScopeSetting } from "./entries/plan-scope.ts";
export { type Extent, MAX_SCOPE_MINUTES, type Match, readScope, type Scope, writeScope } from "./entries/scope.ts";
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
} from "./model/effect.ts";
export { MAX_COMMAND_LENGTH } from "./model/limits.ts";
export { describeProblems } from "./model/mistyped-keys.ts";
export { type LiteralWord, literalWords } from "./parse/literal-words.ts";
export type { ScriptSilence, ScriptText, ShownScript, ShowScript } from "./parse/shown-script.ts";
export { mayBePlace, placeMeaning } from "./paths/place-meaning.ts";
export {
  SANDBOX_CHANGES,
  type SandboxAct,
  type SandboxCall,
  type SandboxChange,
  writeSandboxCall,
} from "./patterns/sandbox-call.ts";
export { type ToolCall, ToolCallError, writeToolCall } from "./patterns/tool-call.ts";
export { type Assessment, assess } from "./profile/assess.ts";
export { DEFAULT_CEILING } from "./profile/cover-part.ts";
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
} from "./profile/decision.ts";
export { type Denial, type DeniedEffect, deniedEffects } from "./profile/denial.ts";
export { describeLayerChange } from "./profile/describe-layer-change.ts";
export { describeWidening } from "./profile/describe-widening.ts";
export {
  type EffectiveProfile,
  effectiveProfile,
  type LayeredEntry,
  type LayerFile,
  type Origin,
} from "./profile/effective-profile.ts";
export {
  type Examples,
  examplesSchema,
  type LayerBlock,
  POLICY_LAYERS,
  type PolicyLayer,
  readLayer,
} from "./profile/layer.ts";
export { meetProfiles, type Settings } from "./profile/meet-profiles.ts";
export { isOpenToCode } from "./profile/open-code.ts";
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
  MAX_TIMEOUT_MS,
  type Profile,
  type ProfileReading,
  profileSchema,
  readProfile,
  sandboxSchema,
  securitySchema,
  settingsSchema,
  wantedEntrySchema,
} from "./profile/profile.ts";
export type { Classification, ClassifyContext, Part } from "./shell/classification.ts";
export { refusedInEnv } from "./shell/judge-environment.ts";
export { NO_MACHINE } from "./shell/no-machine.ts";
export { nameShapes } from "./tools/name-shapes.ts";
