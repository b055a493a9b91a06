import type { Authority, CaState } from "./ca/authority.ts";
import type { Delivery, DeliveryOptions } from "./delivery/delivery.ts";
import type { HubGate, HubGateOptions } from "./gate/hub-gate.ts";
import type { Standing, ToProve } from "./gate/prove-enforced.ts";
import type { Egress, EgressOptions } from "./network/start-egress.ts";
import type { ProxyOptions, RecordingProxy } from "./proxy/proxy.ts";
import type { Relay, RelayOptions } from "./relay/start-relay.ts";

// Each is loaded when it is called: what stands in a sandbox starts without the relay and the CA.

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
  return await (await import("./network/start-egress.ts")).clearEgress(state);
}

export async function startEgress(options: EgressOptions): Promise<Egress> {
  return await (await import("./network/start-egress.ts")).startEgress(options);
}

export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  return await (await import("./proxy/proxy.ts")).startProxy(options);
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  return await (await import("./relay/start-relay.ts")).startRelay(options);
}
