import { StartError } from "@countersign/core/errors";
import { isLoopback } from "../identity/index.ts";

export interface WhereToListen {
  readonly host: string;
  /** Whether there is a certificate to be had, or one was given. */
  readonly tls: boolean;
  /** In clear on a network all the same. */
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
 * The first is the one that this machine uses. An address of a network comes beside it, never instead of it: the
 * commands of this machine go on without TLS, and what they send crosses no network.
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
