import type { Source } from "./rules/index.ts";

/** What an observer of the network can't see or tell, on every receipt of it. */
const LIMITS = [
  "Only addresses, ports and counts are seen, never what is sent: a name comes from plain DNS answers over UDP, and DNS over HTTPS or TLS shows none.",
  "What stays inside the sandbox, or between neighbours of one bridge, doesn't pass the host's network stack and isn't seen.",
  "Bytes are those of IP packets that the sandbox sent, headers and packets sent again included; link-layer headers and ICMP errors about a flow aren't counted.",
  "Answers that the sandbox gives to connections that others opened to it aren't told.",
  "A flow is over when the kernel forgets it: after a while of silence, for UDP and for TCP that wasn't closed.",
];

const BY_ADDRESS =
  "The sandbox is known by its source addresses alone: whoever on its network takes another address isn't seen as it.";

/** On the receipts of such a flow. */
export const NOT_COUNTED = "This flow began before bytes were counted: how many were sent isn't known.";

export function limitsOf(sources: readonly Source[]): readonly string[] {
  return sources.some(({ kind }) => kind === "range") ? [...LIMITS, BY_ADDRESS] : LIMITS;
}
