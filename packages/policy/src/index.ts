export { type Assessment, assess } from "./assess.ts";
export { type CheckOptions, checkPolicy, type FailedExample, type PolicyCheck } from "./check-policy.ts";
export type { Classification, ClassifyContext, Part } from "./classification.ts";
export { classify } from "./classify.ts";
export { DEFAULT_CEILING } from "./cover-part.ts";
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
export { type Denial, type DeniedEffect, deniedEffects } from "./denial.ts";
export { type DerivedEntries, type DeriveOptions, deriveEntries } from "./derive-entries.ts";
export { describeLayerChange } from "./describe-layer-change.ts";
export { describeWidening } from "./describe-widening.ts";
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
  type EffectiveProfile,
  effectiveProfile,
  type LayeredEntry,
  type LayerFile,
  type Origin,
} from "./effective-profile.ts";
export {
  type ExplainedEffect,
  type ExplainFacts,
  type Explanation,
  explain,
  explainEffects,
  type MarkedSpan,
} from "./explain.ts";
export { findCredentials } from "./find-credentials.ts";
export { mayHandBack } from "./hand-back.ts";
export { isCall } from "./is-call.ts";
export { isNarrower } from "./is-narrower.ts";
export { refusedInEnv } from "./judge-environment.ts";
export { type Examples, examplesSchema, type LayerBlock, POLICY_LAYERS, type PolicyLayer, readLayer } from "./layer.ts";
export { MAX_COMMAND_LENGTH } from "./limits.ts";
export { type EntryFault, type EntryWarning, lintEntries } from "./lint-entries.ts";
export { type LiteralWord, literalWords } from "./literal-words.ts";
export { meetProfiles, type Settings } from "./meet-profiles.ts";
export { describeProblems } from "./mistyped-keys.ts";
export { nameShapes } from "./name-shapes.ts";
export { NO_MACHINE } from "./no-machine.ts";
export { describeScope, offerScopes, type ScopeOffer } from "./offer-scopes.ts";
export { isOpenToCode } from "./open-code.ts";
export { mayBePlace, placeMeaning } from "./place-meaning.ts";
export { type Planned, planScope, type ScopePlan, type ScopeSetting } from "./plan-scope.ts";
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
} from "./profile.ts";
export { readSandboxCall } from "./sandbox-call/read-sandbox-call.ts";
export {
  SANDBOX_CHANGES,
  type SandboxAct,
  type SandboxCall,
  type SandboxChange,
  writeSandboxCall,
} from "./sandbox-call/sandbox-call.ts";
export { type Extent, MAX_SCOPE_MINUTES, type Match, readScope, type Scope, writeScope } from "./scope.ts";
export type { ScriptSilence, ScriptText, ShownScript, ShowScript } from "./shown-script.ts";
export type { Credential } from "./tables/credentials.ts";
export { ENGINE_VERSION, TABLES } from "./tables.ts";
export { readToolCall } from "./tool-call/read-tool-call.ts";
export { type ToolCall, ToolCallError, writeToolCall } from "./tool-call/tool-call.ts";
