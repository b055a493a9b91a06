import type { Clock, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Withdrawal } from "@countersign/jail";
import { decide, isCall, mayHandBack } from "@countersign/policy";
import type { Decider } from "@countersign/vocabulary";
import { PAUSED, type PausedBy, policyVersion } from "../policies/index.ts";
import {
  bind,
  type ConsiderRooms,
  circumstancesNow,
  difference,
  restsOnAllowed,
  syntaxProblem,
} from "../proposals/index.ts";
import type { Permit } from "./permit.ts";

export interface CheckRooms extends ConsiderRooms {
  readonly clock: Clock;
  readonly limits: Limits;
  pausedFor(sessionId: string): PausedBy | undefined;
}

export interface StartRefusal {
  readonly reason: string;
  readonly by?: Decider;
}

/**
 * Takes the permit and looks at everything that it binds once more, just before the start. Undefined means: start.
 * A change of the policy alone refuses only where the new policy denies; a person's answer stands otherwise.
 */
export async function checkAgain(
  permit: Permit,
  rooms: CheckRooms,
  withdrawal: Withdrawal,
): Promise<StartRefusal | undefined> {
  if (permit.use(rooms.clock) === "used") {
    throw new HubError("INTERNAL", "A permit was used twice; nothing was started the second time");
  }
  return (
    halted(permit, rooms, withdrawal) ??
    (await checkBinding(permit, rooms)) ??
    (await checkSyntax(permit, rooms)) ??
    halted(permit, rooms, withdrawal)
  );
}

/**
 * What may stop a start at any moment. Synchronous: whoever waits for anything between this and the start must look
 * again.
 */
export function halted(
  permit: Permit,
  rooms: Pick<CheckRooms, "clock" | "pausedFor">,
  withdrawal: Withdrawal,
): StartRefusal | undefined {
  if (withdrawal.reason !== undefined) return { by: "cancelled", reason: withdrawal.reason };
  const paused = rooms.pausedFor(permit.considered.proposal.sessionId);
  if (paused) return { by: "paused", reason: `${PAUSED[paused].name} was paused before the command started` };
  return permit.isExpired(rooms.clock) ? { reason: "The permit expired before the command could start" } : undefined;
}

async function checkBinding({ considered }: Permit, rooms: CheckRooms): Promise<StartRefusal | undefined> {
  const { proposal, classification, jail, binding, decision } = considered;
  if (considered.unlikeCard) return { reason: "Not started: what it does changed after you were asked" };
  const reading = await rooms.policies.of(proposal, classification);
  if (!reading.ok) return { by: "policy", reason: reading.problem };
  const version = policyVersion(reading.profile);
  // With the profile as it was: a change of the policy is judged below.
  const facts = { classification, policyVersion: version, profile: considered.profile, jail };
  const changed = difference(binding, await bind(proposal, facts, rooms));
  if (changed) return { reason: `Not started: ${changed} changed after the decision` };
  // What was allowed for a while may be over by now, and isn't in the policy's version.
  if (version === binding.policyVersion && !restsOnAllowed(considered)) return undefined;
  const again = decide(classification, reading.profile, { ...circumstancesNow(considered, rooms), attended: true });
  // A person's answer stands unless the policy now denies, and so does a prompt of the agent's own; what a rule or silence allowed must be allowed again.
  const asks =
    decision.by === "agent-prompt" && mayHandBack(classification, reading.profile, circumstancesNow(considered, rooms));
  const isAnswered = decision.by === "person" || considered.answeredBefore === true;
  const stands = isAnswered || asks ? again.verdict !== "deny" : again.verdict === "allow";
  if (stands) return undefined;
  return { by: again.by, reason: `The policy changed and no longer allows it: ${again.reason}` };
}

async function checkSyntax({ considered: { proposal } }: Permit, rooms: CheckRooms): Promise<StartRefusal | undefined> {
  if (isCall(proposal.command)) return undefined;
  const reason = await syntaxProblem({ shell: rooms.shell, command: proposal.command }, rooms.clock);
  return reason === undefined ? undefined : { reason };
}
