import type { Authority, CaState } from "./ca/authority.ts";
import type { Delivery, DeliveryOptions } from "./delivery/delivery.ts";
import type { Egress, EgressOptions } from "./egress/start-egress.ts";
import type { HubGate, HubGateOptions } from "./gate/hub-gate.ts";
import type { Standing, ToProve } from "./gate/prove-enforced.ts";
import type { LocalExecd, LocalExecdOptions } from "./local/start-local-execd.ts";
import type { ProxyOptions, RecordingProxy } from "./proxy/proxy.ts";
import type { Relay, RelayOptions } from "./relay/start-relay.ts";

export type { Authority, CaState, NewCertificate } from "./ca/authority.ts";
export { type Bundle, readBundle } from "./ca/bundle.ts";
export { CaError, type CaErrorCode } from "./ca/ca-error.ts";
export type { Issued } from "./ca/issued.ts";
export { RELAY_MS, SANDBOX_MS } from "./ca/lifetimes.ts";
export type { Delivery, DeliveryOptions, DeliveryState } from "./delivery/delivery.ts";
export type { DeliveryLimits } from "./delivery/limits.ts";
export type { ControlRequest } from "./egress/control-door.ts";
export { EgressError, type EgressErrorCode } from "./egress/egress-error.ts";
export type { EgressLimits } from "./egress/limits.ts";
export type { Egress, EgressOptions, SandboxView, SandboxWish } from "./egress/start-egress.ts";
export type { ExecdBinding, ExecdCoverage, ExecdFrame, FrameSink, UntoldCall } from "./frame.ts";
export type { HubGate, HubGateOptions } from "./gate/hub-gate.ts";
export type { Standing } from "./gate/prove-enforced.ts";
export type { Isolation, IsolationWish, Isolator } from "./local/isolated/isolator.ts";
export type { LocalExecd, LocalExecdOptions, LocalJail } from "./local/start-local-execd.ts";
export type { Log } from "./log.ts";
export type { CallEnd, Denial, Gate, Permit, ProposedCall } from "./proxy/before.ts";
export type { ProxyTokens } from "./proxy/own-token.ts";
export type { ProxyOptions, RecordingProxy } from "./proxy/proxy.ts";
export type { RelayLimits } from "./relay/limits.ts";
export type { Address, Relay, RelayOptions } from "./relay/start-relay.ts";
export { ACCESS_TOKEN, EXECD_PORT } from "./wire/stock.ts";
export { WishRefused } from "./wish-refused.ts";

// Each is loaded when it is called: what stands in a sandbox starts without the relay, the CA and the local execd.

export async function initCa(dir: string, crl: string | undefined, nowMs: number): Promise<CaState> {
  return await (await import("./ca/authority.ts")).initCa(dir, crl, nowMs);
}

export async function openCa(dir: string): Promise<Authority> {
  return await (await import("./ca/authority.ts")).openCa(dir);
}

export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  return await (await import("./delivery/delivery.ts")).openDelivery(options);
}

export async function openHubGate(options: HubGateOptions): Promise<HubGate> {
  return new (await import("./gate/hub-gate.ts")).HubGate(options);
}

export async function proveEnforced(toProve: ToProve): Promise<Standing> {
  return await (await import("./gate/prove-enforced.ts")).proveEnforced(toProve);
}

export async function clearEgress(state: string): Promise<boolean> {
  return await (await import("./egress/start-egress.ts")).clearEgress(state);
}

export async function startEgress(options: EgressOptions): Promise<Egress> {
  return await (await import("./egress/start-egress.ts")).startEgress(options);
}

export async function startLocalExecd(options: LocalExecdOptions = {}): Promise<LocalExecd> {
  return await (await import("./local/start-local-execd.ts")).startLocalExecd(options);
}

export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  return await (await import("./proxy/proxy.ts")).startProxy(options);
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  return await (await import("./relay/start-relay.ts")).startRelay(options);
}
