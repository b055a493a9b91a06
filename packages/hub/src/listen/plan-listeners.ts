import { StartError } from "@countersign/core/errors";
import { isLoopback } from "../identity/index.ts";

export interface WhereToListen {
  readonly host: string;
  /** Whether a certificate is given or can be issued. */
  readonly tls: boolean;
  /** Listens on a network without TLS. */
  readonly insecureLan: boolean;
}

export interface PlannedListener {
  readonly host: string;
  readonly secure: boolean;
}

const EVERY_ADDRESS = new Set(["0.0.0.0", "::", "[::]"]);
const HOME = "127.0.0.1";

export function isEveryAddress(host: string): boolean {
  return EVERY_ADDRESS.has(host);
}

/**
 * Returns where to listen. The first listener is this machine's; a network address is added to it and never replaces
 * it, so that local commands need no TLS.
 */
export function planListeners({ host, tls, insecureLan }: WhereToListen): readonly PlannedListener[] {
  if (isLoopback(host)) return [{ host, secure: false }];
  if (isEveryAddress(host)) {
    if (insecureLan) return [{ host, secure: false }];
    const why = "a Host has to match exactly, and a certificate is for one address";
    throw new StartError("PORT_REFUSED", `${host} is every address: ${why}. Name one, with --tls.`);
  }
  if (!tls && !insecureLan) {
    const why = "without TLS anyone on the network could read the token";
    const ways = "Add --tls for a certificate of our own making, or --cert and --key; --insecure-lan insists";
    throw new StartError("PORT_REFUSED", `${host} isn't a loopback address: ${why}. ${ways}.`);
  }
  return [
    { host: HOME, secure: false },
    { host, secure: tls },
  ];
}
