import { type Host, readHost } from "./host.ts";

/** What a run may reach. Names are exact; a port isn't looked at. */
export interface NetworkRule {
  readonly hosts: readonly string[] | "any";
  /** Private addresses (RFC 1918 and the like) may be reached too. */
  readonly privateToo: boolean;
}

/** Whether the rule names this host. An address must be named as one: a name that resolves to it isn't enough. */
export function namesHost(rule: NetworkRule, host: Host): boolean {
  if (rule.hosts === "any") return true;
  return rule.hosts.some((text) => {
    const named = readHost(text);
    return named !== undefined && named.kind === host.kind && named.text === host.text;
  });
}
