import { findRepository } from "@countersign/core/host";
import {
  isApproved,
  isWider,
  type JailKind,
  type JailPlan,
  type Openings,
  planJail,
  planOpenings,
} from "@countersign/jail";
import {
  type Circumstances,
  type Classification,
  type Decision,
  mayHandBack,
  type Profile,
  type ShowScript,
} from "@countersign/policy";
import type { Enforcement, Jail } from "@countersign/vocabulary";
import { policyVersion } from "../policies/index.ts";
import type { Binder, Binding } from "./binding.ts";
import { jailOfEntries } from "./chosen-by-entries.ts";
import type { Judge, Judged } from "./judge.ts";
import { hashProposal, type Proposal } from "./proposal.ts";

/** A proposal that was read and decided by policy, with everything that the decision rests on. */
export interface Assessment {
  readonly proposal: Proposal;
  readonly classification: Classification;
  readonly decision: Decision;
  /** With all layers. Null when one can't be read; then the decision is to deny. */
  readonly profile: Profile | null;
  /** As they were when it was decided. */
  readonly circumstances: Circumstances;
  readonly enforcement: Enforcement;
  readonly jail: Jail;
  /** What that jail lets through; undefined without one. */
  readonly cut: JailPlan | undefined;
  readonly binding: Binding;
  /** Writes outside of the workspace that its jail makes fail, for the card. */
  readonly fails: readonly string[];
  readonly proposalHash: string;
  /** A person allowed this very proposal before it was asked about again: that stands as their answer does. */
  readonly answeredBefore?: true;
  /** It was asked about before a restart, and would now do or get something that its card doesn't say. Nothing starts it. */
  readonly unlikeCard?: true;
  /** A person put this command in the place of what was proposed; `from` is the hash of that. */
  readonly edited?: { readonly by: string; readonly command: string; readonly from: string };
  /** The repository around it, as it was then: what a person is offered for it must not grow until they answer. */
  readonly repository: string | undefined;
  /** What stands in the scripts that it runs, as the permit would bind them. */
  readonly showScript: ShowScript;
}

/** Judges a proposal and binds what the decision rests on; looks at the machine, changes nothing. */
export class Assessor {
  readonly #judge: Judge;
  readonly #binder: Binder;
  readonly #protectedPaths: readonly string[];
  readonly #droppedUid: number | undefined;

  constructor(options: {
    readonly judge: Judge;
    readonly binder: Binder;
    readonly protectedPaths: readonly string[];
    /** The user that a root hub's commands become. */
    readonly droppedUid: number | undefined;
  }) {
    this.#judge = options.judge;
    this.#binder = options.binder;
    this.#protectedPaths = options.protectedPaths;
    this.#droppedUid = options.droppedUid;
  }

  async assess(proposal: Proposal): Promise<Assessment> {
    const judged = await this.#judge.judge(proposal);
    const { classification, profile, circumstances, code, showScript } = judged;
    const { enforcement } = circumstances;
    const decision = askForOwnReason(refuseWiderJail(judged, proposal), proposal);
    const chosen = proposal.jail ?? jailOfEntries({ ...judged, decision });
    const cut = enforcement === "jail" ? planJail(classification, chosen) : undefined;
    const jail: Jail = cut?.kind ?? "none";
    const version = profile ? policyVersion(profile) : "unreadable";
    const { opens, fails } = this.#openingsOf({ classification, decision, jail }, proposal);
    const bound = await this.#binder.bind(proposal, { classification, policyVersion: version, profile, jail, code });
    const binding = Object.keys(opens).length === 0 ? bound : { ...bound, opens };
    const proposalHash = hashProposal(proposal);
    const repository = findRepository(proposal.cwd, proposal.roots);
    const facts = {
      classification,
      decision,
      profile,
      circumstances,
      enforcement,
      jail,
      cut,
      binding,
      fails,
      showScript,
    };
    return { proposal, proposalHash, repository, ...facts };
  }

  /**
   * A question that goes to the agent's own prompt instead of ours, decided so; undefined where it is ours to ask. The agent then runs
   * it by itself: no jail holds it, and it is judged as that.
   */
  async leaveToAgentPrompt(
    assessment: Assessment,
    { someoneCanAnswer }: { readonly someoneCanAnswer: boolean },
  ): Promise<Assessment | undefined> {
    const { proposal, decision, profile } = assessment;
    const isWanted = profile?.handBack === "always" || (profile?.handBack === "no-approver" && !someoneCanAnswer);
    if (decision.verdict !== "ask" || !proposal.handsBack || proposal.mustAskReason !== undefined || !isWanted)
      return undefined;
    const outside =
      proposal.executor.kind === "external"
        ? assessment
        : await this.assess({ ...proposal, executor: { kind: "external", enforcement: "none" } });
    if (outside.decision.verdict !== "ask" || outside.profile === null) return undefined;
    if (!mayHandBack(outside.classification, outside.profile, outside.circumstances)) return undefined;
    const reason = `Left to the agent's own prompt: ${outside.decision.reason}`;
    return { ...outside, decision: { ...outside.decision, verdict: "allow", by: "agent-prompt", reason } };
  }

  /** Only a jail for the workspace opens single files, and only where somebody or an entry answers for them. */
  #openingsOf(
    { classification, decision, jail }: Pick<Assessment, "classification" | "decision" | "jail">,
    { roots }: Proposal,
  ): Openings {
    if (jail !== "workspace" || (decision.verdict !== "ask" && !isApproved(decision, false)))
      return { opens: {}, fails: [] };
    const [protectedPaths, droppedUid] = [this.#protectedPaths, this.#droppedUid];
    return planOpenings(classification, { roots, protectedPaths, droppedUid });
  }
}

/** A jail that is wider than the effects call for is a person's to give, whatever else the policy says. */
function refuseWiderJail({ decision, classification }: Judged, { jail, attended }: Proposal): Decision {
  if (decision.verdict !== "allow" || jail === undefined) return decision;
  if (!isWider(jail, planJail(classification).kind)) return decision;
  const reason = `It asks for a wider jail (${jail}) than its effects call for`;
  return { ...decision, verdict: attended ? "ask" : "deny", by: "policy", reason };
}

/** If the hub has a reason to ask, only a person can allow the proposal. */
function askForOwnReason(decision: Decision, { mustAskReason, attended }: Proposal): Decision {
  if (mustAskReason === undefined) return decision;
  const told = { ...decision, riskReasons: [mustAskReason, ...decision.riskReasons] };
  if (decision.verdict !== "allow") return told;
  return { ...told, verdict: attended ? "ask" : "deny", by: "policy", reason: mustAskReason };
}

/** The same in another jail than its effects call for. */
export function inJail(assessment: Assessment, kind: JailKind): Assessment {
  const cut = planJail(assessment.classification, kind);
  if (kind === assessment.jail) return { ...assessment, cut };
  // What the card didn't say isn't opened.
  const { opens: _, ...binding } = assessment.binding;
  return { ...assessment, cut, jail: kind, binding: { ...binding, jail: kind } };
}

/** Whether it was decided by something that a person allowed for a while, which may be over or taken back by now. */
export function usesTemporaryGrant({ decision, circumstances: { allowed } }: Assessment): boolean {
  if (decision.entryIds.length === 0) return false;
  const ids = new Set([...(allowed?.entries ?? []), ...(allowed?.grants ?? [])].map(({ id }) => id));
  return decision.entryIds.some((id) => ids.has(id));
}
