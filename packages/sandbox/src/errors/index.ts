export { EgressError, type EgressErrorCode } from "./egress-error.ts";
export type { Log } from "./log.ts";
export { WishRefused } from "./wish-refused.ts";
