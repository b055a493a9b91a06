export { MOST_NUMBERS, markOf, NUMBER_MASK, numberOf } from "./marks.ts";
export { applyRules, deleteTable, readCounters, readTable, runTool } from "./nft.ts";
export { type EgressPolicy, readPolicy } from "./policy.ts";
export { toRange } from "./read-rule.ts";
export {
  baseRules,
  nameSet,
  type RuledSandbox,
  type Source,
  sandboxRules,
  TABLE,
  withoutCounters,
  withoutNumbers,
  withoutSandbox,
  withoutSandboxes,
} from "./ruleset.ts";
