import type { Circumstances, Classification, Decision, Enforcement, Jail, Profile } from "@countersign/policy";
import type { Clock } from "../clock.ts";
import { findRepository } from "../machine/repository.ts";
import { type Binding, type BindingRooms, bind } from "../permit/binding.ts";
import type { Policies } from "../profiles/policies.ts";
import { policyVersion } from "../profiles/policy-version.ts";
import { type JudgeRooms, judge } from "./judge.ts";
import type { Proposal } from "./proposal.ts";
import { hashProposal } from "./proposal-hash.ts";

/** A proposal that was read and decided by policy, with everything that the decision rests on. */
export interface Considered {
  readonly proposal: Proposal;
  readonly classification: Classification;
  readonly decision: Decision;
  /** With all layers. Null when one can't be read; then the decision is to deny. */
  readonly profile: Profile | null;
  /** As they were when it was decided. */
  readonly circumstances: Circumstances;
  readonly enforcement: Enforcement;
  readonly jail: Jail;
  readonly binding: Binding;
  readonly proposalHash: string;
  /** The repository around it, as it was then: what a person is offered for it must not grow until they answer. */
  readonly repository: string | undefined;
}

export interface ConsiderRooms extends BindingRooms, JudgeRooms {
  readonly policies: Policies;
  readonly clock: Clock;
}

/** Judges a proposal and binds what the decision rests on; looks at the machine, changes nothing. */
export async function consider(proposal: Proposal, rooms: ConsiderRooms): Promise<Considered> {
  const { classification, decision, profile, circumstances, code } = await judge(proposal, rooms);
  const { enforcement } = circumstances;
  const jail: Jail = "none";
  const version = profile ? policyVersion(profile) : "unreadable";
  const binding = await bind(proposal, { classification, policyVersion: version, jail, code }, rooms);
  const proposalHash = hashProposal(proposal);
  const repository = findRepository(proposal.cwd, proposal.roots);
  const facts = { classification, decision, profile, circumstances, enforcement, jail, binding };
  return { proposal, proposalHash, repository, ...facts };
}

/** The circumstances as they are now: time has passed, and people may have allowed or denied something. */
export function circumstancesNow(
  { circumstances, proposal }: Considered,
  rooms: Pick<ConsiderRooms, "clock" | "recall">,
): Circumstances {
  return { ...circumstances, ...rooms.recall(proposal), nowMs: rooms.clock.wallMs() };
}

/** Whether it was decided by something that a person allowed for a while, which may be over or taken back by now. */
export function restsOnAllowed({ decision, circumstances: { allowed } }: Considered): boolean {
  if (decision.entryIds.length === 0) return false;
  const ids = new Set([...(allowed?.entries ?? []), ...(allowed?.grants ?? [])].map(({ id }) => id));
  return decision.entryIds.some((id) => ids.has(id));
}
