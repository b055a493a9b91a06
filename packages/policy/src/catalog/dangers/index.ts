export type { Condition, DangerPattern } from "./danger.ts";
export { DANGER_PATTERNS } from "./dangers.ts";
