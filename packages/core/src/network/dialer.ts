import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { connect, isIPv4, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { readHost } from "./host.ts";

/** How the hub reaches the world for a jailed run. Nothing here decides anything: see `dial.ts`. */
export interface Dialer {
  /** Every address of a name. Rejects when there's none. */
  resolve(name: string): Promise<readonly string[]>;
  /** The addresses of this machine's interfaces, now. */
  ownAddresses(): readonly string[];
  /** Where the kernel would bring what is sent there. */
  routeTo(address: string): Promise<Route>;
  /** Connects to one of these addresses and to nothing else. */
  connect(addresses: readonly string[], port: number): Socket;
}

/** To this machine itself, to another, or there is no way. */
type Route = "here" | "elsewhere" | "nowhere";

const DISCARD_PORT = 9;
/** How long one address may take before the next is tried as well. */
const NEXT_ADDRESS_MS = 1_000;

export const systemDialer: Dialer = {
  async resolve(name) {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  },
  ownAddresses: () =>
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address }) => address),
  routeTo: askKernel,
  connect(addresses, port) {
    const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
    return connect({
      // Never looked up: the answer is already here. A name that nobody has, in case it were.
      host: "checked.invalid",
      lookup: (_name, _options, answer) => answer(null, found),
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    });
  },
};

/**
 * Asks the kernel's routes, because the list of interfaces leaves out those without a carrier (an idle docker0), whose
 * addresses answer all the same. Connecting a datagram socket sends nothing; to an own address it gets that very address.
 */
function askKernel(address: string): Promise<Route> {
  return new Promise((resolve) => {
    const probe = createSocket(isIPv4(address) ? "udp4" : "udp6");
    const end = (route: Route) => {
      probe.close();
      resolve(route);
    };
    probe.once("error", () => end("nowhere"));
    probe.once("connect", () => end(readHost(probe.address().address)?.text === address ? "here" : "elsewhere"));
    probe.connect(DISCARD_PORT, address);
  });
}
