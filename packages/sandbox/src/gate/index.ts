export { HubGate, type HubGateOptions } from "./hub-gate.ts";
export type { Standing, ToProve } from "./prove-enforced.ts";
export { proveEnforced } from "./prove-enforced.ts";
