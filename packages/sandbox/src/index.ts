export type { Authority, CaState, NewCertificate } from "./ca/authority.ts";
export { type Bundle, readBundle } from "./ca/bundle.ts";
export { CaError, type CaErrorCode } from "./ca/ca-error.ts";
export type { Issued } from "./ca/issued.ts";
export { RELAY_MS, SANDBOX_MS } from "./ca/lifetimes.ts";
export type { Delivery, DeliveryOptions, DeliveryState } from "./delivery/delivery.ts";
export type { ExecdBinding, ExecdCoverage, ExecdFrame, FrameSink, UntoldCall } from "./delivery/frame.ts";
export type { DeliveryLimits } from "./delivery/limits.ts";
export { EgressError, type EgressErrorCode } from "./errors/egress-error.ts";
export type { Log } from "./errors/log.ts";
export { WishRefused } from "./errors/wish-refused.ts";
export type { HubGate, HubGateOptions } from "./gate/hub-gate.ts";
export type { Standing } from "./gate/prove-enforced.ts";
export type { ControlRequest } from "./network/control-door.ts";
export type { EgressLimits } from "./network/limits.ts";
export type { Egress, EgressOptions, SandboxView, SandboxWish } from "./network/start-egress.ts";
export type { ProxyTokens } from "./proxy/own-token.ts";
export type { ProxyOptions, RecordingProxy } from "./proxy/proxy.ts";
export type { CallEnd, Denial, Gate, Permit, ProposedCall } from "./proxy/record/before.ts";
export type { RelayLimits } from "./relay/limits.ts";
export type { Address, Relay, RelayOptions } from "./relay/start-relay.ts";
export {
  clearEgress,
  initCa,
  openCa,
  openDelivery,
  openHubGate,
  proveEnforced,
  startEgress,
  startProxy,
  startRelay,
} from "./start.ts";
export { GoJsonError } from "./wire/go-json.ts";
export {
  decodeFirst,
  decodeOnly,
  type GoType,
  goBool,
  goInt,
  goMap,
  goOptionalBool,
  goOptionalUint32,
  goSlice,
  goString,
  goStruct,
} from "./wire/go-types.ts";
export { MultipartReader, type PartSink } from "./wire/multipart.ts";
export { boundaryOf } from "./wire/part-head.ts";
export { ACCESS_TOKEN, ACCESS_TOKEN_NAME, EXECD_PORT } from "./wire/stock.ts";
export { readQuery, readTarget } from "./wire/target.ts";
