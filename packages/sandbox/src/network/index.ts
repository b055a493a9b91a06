export type { ControlRequest } from "./control-socket.ts";
export type { EgressLimits } from "./limits.ts";
export type { Egress, EgressOptions, SandboxView, SandboxWish } from "./start-egress.ts";
export { clearEgress, startEgress } from "./start-egress.ts";
