export { FOR_NOW } from "./forward.ts";
export { RELAY_LIMITS, type RelayLimits } from "./limits.ts";
export { type RecorderAnswer, RecorderClient } from "./recorder-client.ts";
export type { Address, Relay, RelayOptions } from "./start-relay.ts";
export { startRelay } from "./start-relay.ts";
