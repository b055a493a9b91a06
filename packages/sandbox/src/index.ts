export {
  Authority,
  type Bundle,
  CaError,
  type CaErrorCode,
  type CaState,
  type Issued,
  type NewCertificate,
  RELAY_MS,
  readBundle,
  SANDBOX_MS,
} from "./ca/index.ts";
export {
  Delivery,
  type DeliveryLimits,
  type DeliveryOptions,
  type DeliveryState,
  type ExecdBinding,
  type ExecdCoverage,
  type ExecdFrame,
  type FrameSink,
  type UntoldCall,
} from "./delivery/index.ts";
export { EgressError, type EgressErrorCode, type Log, WishRefused } from "./errors/index.ts";
export { HubGate, type HubGateOptions, type Standing } from "./gate/index.ts";
export type { ControlRequest, Egress, EgressLimits, EgressOptions, SandboxView, SandboxWish } from "./network/index.ts";
export type { ProxyOptions, ProxyTokens, RecordingProxy } from "./proxy/index.ts";
export type { CallEnd, Denial, Gate, Permit, ProposedCall } from "./proxy/record/index.ts";
export type { Address, Relay, RelayLimits, RelayOptions } from "./relay/index.ts";
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
export {
  ACCESS_TOKEN,
  ACCESS_TOKEN_NAME,
  boundaryOf,
  decodeFirst,
  decodeOnly,
  EXECD_PORT,
  GoJsonError,
  type GoType,
  goBool,
  goInt,
  goMap,
  goOptionalBool,
  goOptionalUint32,
  goSlice,
  goString,
  goStruct,
  MultipartReader,
  type PartSink,
  readQuery,
  readTarget,
} from "./wire/index.ts";
