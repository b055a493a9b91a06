import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Withdrawal } from "@countersign/jail";
import { decide, isCall, mayHandBack } from "@countersign/policy";
import type { Decider } from "@countersign/vocabulary";
import { PAUSED, type PausedBy, type Policies, policyVersion } from "../policies/index.ts";
import { type Binder, difference, type Judge, syntaxProblem, usesTemporaryGrant } from "../proposals/index.ts";
import type { Permit } from "./permit.ts";

export interface StartRefusal {
  readonly reason: string;
  readonly by?: Decider;
}

/** Looks once more, just before a start, whether everything is still as it was permitted. */
export class StartCheck {
  readonly #clock: Clock;
  readonly #shell: string;
  readonly #policies: Policies;
  readonly #judge: Judge;
  readonly #binder: Binder;
  readonly #pausedFor: (sessionId: string) => PausedBy | undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly shell: string;
    readonly policies: Policies;
    readonly judge: Judge;
    readonly binder: Binder;
    readonly pausedFor: (sessionId: string) => PausedBy | undefined;
  }) {
    this.#clock = options.clock;
    this.#shell = options.shell;
    this.#policies = options.policies;
    this.#judge = options.judge;
    this.#binder = options.binder;
    this.#pausedFor = options.pausedFor;
  }

  /**
   * Takes the permit and looks at everything that it binds once more, just before the start. Undefined means: start.
   * A change of the policy alone refuses only where the new policy denies; a person's answer stands otherwise.
   */
  async check(permit: Permit, withdrawal: Withdrawal): Promise<StartRefusal | undefined> {
    if (permit.use(this.#clock) === "used") {
      throw new HubError("INTERNAL", "A permit was used twice; nothing was started the second time");
    }
    return (
      this.reasonToStopNow(permit, withdrawal) ??
      (await this.#checkBinding(permit)) ??
      (await this.#checkSyntax(permit)) ??
      this.reasonToStopNow(permit, withdrawal)
    );
  }

  /**
   * What may stop a start at any moment. Synchronous: whoever waits for anything between this and the start must look
   * again.
   */
  reasonToStopNow(permit: Permit, withdrawal: Withdrawal): StartRefusal | undefined {
    if (withdrawal.reason !== undefined) return { by: "cancelled", reason: withdrawal.reason };
    const paused = this.#pausedFor(permit.assessment.proposal.sessionId);
    if (paused) return { by: "paused", reason: `${PAUSED[paused].name} was paused before the command started` };
    return permit.isExpired(this.#clock) ? { reason: "The permit expired before the command could start" } : undefined;
  }

  async #checkBinding({ assessment }: Permit): Promise<StartRefusal | undefined> {
    const { proposal, classification, jail, binding, decision } = assessment;
    if (assessment.unlikeCard) return { reason: "Not started: what it does changed after you were asked" };
    const reading = await this.#policies.of(proposal, classification);
    if (!reading.ok) return { by: "policy", reason: reading.problem };
    const version = policyVersion(reading.profile);
    // With the profile as it was: a change of the policy is judged below.
    const facts = { classification, policyVersion: version, profile: assessment.profile, jail };
    const changed = difference(binding, await this.#binder.bind(proposal, facts));
    if (changed) return { reason: `Not started: ${changed} changed after the decision` };
    // What was allowed for a while may be over by now, and isn't in the policy's version.
    if (version === binding.policyVersion && !usesTemporaryGrant(assessment)) return undefined;
    const again = decide(classification, reading.profile, {
      ...this.#judge.currentCircumstances(assessment),
      attended: true,
    });
    // A person's answer stands unless the policy now denies, and so does a prompt of the agent's own; what a rule or silence allowed must be allowed again.
    const asks =
      decision.by === "agent-prompt" &&
      mayHandBack(classification, reading.profile, this.#judge.currentCircumstances(assessment));
    const isAnswered = decision.by === "person" || assessment.answeredBefore === true;
    const stands = isAnswered || asks ? again.verdict !== "deny" : again.verdict === "allow";
    if (stands) return undefined;
    return { by: again.by, reason: `The policy changed and no longer allows it: ${again.reason}` };
  }

  async #checkSyntax({ assessment: { proposal } }: Permit): Promise<StartRefusal | undefined> {
    if (isCall(proposal.command)) return undefined;
    const reason = await syntaxProblem({ shell: this.#shell, command: proposal.command }, this.#clock);
    return reason === undefined ? undefined : { reason };
  }
}
