export type { Condition, DangerPattern } from "./danger-pattern.ts";
export { DANGER_PATTERNS } from "./danger-patterns.ts";
