import type { Classification, Decision, Enforcement, Jail, Profile } from "@countersign/policy";
import { canonicalize } from "@countersign/receipts";
import type { Clock } from "../clock.ts";
import { type Binding, type BindingRooms, bind } from "../permit/binding.ts";
import type { Policies } from "../profiles/policies.ts";
import { policyVersion } from "../profiles/policy-version.ts";
import { sha256Hex } from "../sha256.ts";
import { judge } from "./judge.ts";
import type { Proposal } from "./proposal.ts";

/** A proposal that was read and decided by policy, with everything that the decision rests on. */
export interface Considered {
  readonly proposal: Proposal;
  readonly classification: Classification;
  readonly decision: Decision;
  /** With all layers. Null when one can't be read; then the decision is to deny. */
  readonly profile: Profile | null;
  readonly enforcement: Enforcement;
  readonly jail: Jail;
  readonly binding: Binding;
  readonly proposalHash: string;
}

export interface ConsiderRooms extends BindingRooms {
  readonly policies: Policies;
  readonly clock: Clock;
  readonly protectedPaths: readonly string[];
}

/** Judges a proposal and binds what the decision rests on; looks at the machine, changes nothing. */
export async function consider(proposal: Proposal, rooms: ConsiderRooms): Promise<Considered> {
  const { classification, decision, profile, circumstances } = await judge(proposal, rooms);
  const { enforcement } = circumstances;
  const jail: Jail = "none";
  const version = profile ? policyVersion(profile) : "unreadable";
  const binding = await bind(proposal, { classification, policyVersion: version, jail }, rooms);
  const { command, cwd, env } = proposal;
  const proposalHash = `sha256:${sha256Hex(canonicalize({ command, cwd, env }))}`;
  return { proposal, classification, decision, profile, enforcement, jail, binding, proposalHash };
}
