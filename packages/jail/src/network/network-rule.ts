import { type Host, readHost } from "@countersign/core/network";

/** What a run may reach. Names are exact, but `*.example.com` is every name below that one; a port isn't looked at. */
export interface NetworkRule {
  readonly hosts: readonly string[] | "any";
  /** Private addresses (RFC 1918 and the like) may be reached too. */
  readonly privateToo: boolean;
}

/** Whether the rule names this host. An address must be named as one: a name that resolves to it isn't enough. */
export function namesHost(rule: NetworkRule, host: Host): boolean {
  if (rule.hosts === "any") return true;
  return rule.hosts.some((text) => {
    const below = text.startsWith("*.");
    const named = readHost(below ? text.slice(2) : text);
    if (named === undefined || named.kind !== host.kind) return false;
    return below ? host.kind === "name" && host.text.endsWith(`.${named.text}`) : host.text === named.text;
  });
}
