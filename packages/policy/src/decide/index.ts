export { type CheckOptions, checkPolicy, type FailedExample, type PolicyCheck } from "./check-policy.ts";
export { decide, decideOnTimeout } from "./decide.ts";
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
