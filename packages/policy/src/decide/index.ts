export { type CheckOptions, checkPolicy, type FailedExample, type PolicyCheck } from "./check.ts";
export { findCredentials } from "./credentials.ts";
export { decide, decideOnTimeout, mayHandBack } from "./decide.ts";
export { deniedEffects } from "./denials.ts";
export {
  type ExplainedEffect,
  type ExplainFacts,
  type Explanation,
  explain,
  explainEffects,
  type MarkedSpan,
} from "./explain.ts";
