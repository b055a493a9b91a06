import { mayHandBack } from "@countersign/policy";
import { type Considered, type ConsiderRooms, consider } from "./consider.ts";

export interface HandBackRooms extends ConsiderRooms {
  /** Whether somebody is there who could answer. */
  readonly presence: { readonly anyone: boolean };
}

/**
 * A question that goes to the agent's own prompt instead of ours, decided so; undefined where it is ours to ask. The agent then runs
 * it by itself: no jail holds it, and it is judged as that.
 */
export async function toHandBack(considered: Considered, rooms: HandBackRooms): Promise<Considered | undefined> {
  const { proposal, decision, profile } = considered;
  if (
    decision.verdict !== "ask" ||
    !proposal.handsBack ||
    proposal.doubt !== undefined ||
    !isWanted(profile?.handBack, rooms)
  )
    return undefined;
  const outside =
    proposal.executor.kind === "external"
      ? considered
      : await consider({ ...proposal, executor: { kind: "external", enforcement: "none" } }, rooms);
  if (outside.decision.verdict !== "ask" || outside.profile === null) return undefined;
  if (!mayHandBack(outside.classification, outside.profile, outside.circumstances)) return undefined;
  const reason = `Left to the agent's own prompt: ${outside.decision.reason}`;
  return { ...outside, decision: { ...outside.decision, verdict: "allow", by: "agent-prompt", reason } };
}

function isWanted(handBack: string | undefined, { presence }: HandBackRooms): boolean {
  return handBack === "always" || (handBack === "no-approver" && !presence.anyone);
}
