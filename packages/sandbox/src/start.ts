import type { Authority, CaState } from "./ca/index.ts";
import type { Delivery, DeliveryOptions } from "./delivery/index.ts";
import type { HubGate, HubGateOptions, Standing, ToProve } from "./gate/index.ts";
import type { Egress, EgressOptions } from "./network/index.ts";
import type { ProxyOptions, RecordingProxy } from "./proxy/index.ts";
import type { Relay, RelayOptions } from "./relay/index.ts";

// Each is loaded when it is called: what stands in a sandbox starts without the relay and the CA.

export async function initCa(dir: string, crl: string | undefined, nowMs: number): Promise<CaState> {
  return await (await import("./ca/index.ts")).initCa(dir, crl, nowMs);
}

export async function openCa(dir: string): Promise<Authority> {
  return await (await import("./ca/index.ts")).openCa(dir);
}

export async function openDelivery(options: DeliveryOptions): Promise<Delivery> {
  return await (await import("./delivery/index.ts")).openDelivery(options);
}

export async function openHubGate(options: HubGateOptions): Promise<HubGate> {
  return new (await import("./gate/index.ts")).HubGate(options);
}

export async function proveEnforced(toProve: ToProve): Promise<Standing> {
  return await (await import("./gate/index.ts")).proveEnforced(toProve);
}

export async function clearEgress(state: string): Promise<boolean> {
  return await (await import("./network/index.ts")).clearEgress(state);
}

export async function startEgress(options: EgressOptions): Promise<Egress> {
  return await (await import("./network/index.ts")).startEgress(options);
}

export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  return await (await import("./proxy/index.ts")).startProxy(options);
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  return await (await import("./relay/index.ts")).startRelay(options);
}
