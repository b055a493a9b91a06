import { EgressError } from "../../errors/index.ts";
import { type Rule, readRule } from "./read-rule.ts";

/** What a sandbox may reach. */
export interface EgressPolicy {
  /** Undefined: everything but the floor. Else these alone, and still not the floor. */
  readonly allow: readonly Rule[] | undefined;
  /** Of the floor, which is blocked otherwise: link-local and metadata addresses, and the host's own services. */
  readonly open: readonly Rule[];
}

/** As it is given. */
export interface PolicyText {
  readonly allow?: readonly string[] | undefined;
  readonly open?: readonly string[] | undefined;
}

const MOST_RULES = 256;

/** Throws EgressError. */
export function readPolicy({ allow, open = [] }: PolicyText): EgressPolicy {
  if (open.length + (allow?.length ?? 0) > MOST_RULES)
    throw new EgressError("TOO_MANY", `a sandbox has at most ${MOST_RULES} rules`);
  const policy = { allow: allow?.map(readRule), open: open.map(readRule) };
  if (policy.allow?.some(({ kind }) => kind === "host"))
    throw new EgressError("BAD_RULE", "the host's own services are opened, not allowed: --open host:<port>");
  if (policy.open.some(({ kind }) => kind === "name" || kind === "any"))
    throw new EgressError("BAD_RULE", "only addresses and host:<port> can be opened");
  return policy;
}

export function hasNames({ allow }: EgressPolicy): boolean {
  return allow?.some(({ kind }) => kind === "name") ?? false;
}
