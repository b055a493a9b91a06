import { mayHandBack } from "@countersign/policy";
import type { Assessor, Considered } from "./consider.ts";

/**
 * A question that goes to the agent's own prompt instead of ours, decided so; undefined where it is ours to ask. The agent then runs
 * it by itself: no jail holds it, and it is judged as that.
 */
export async function toHandBack(
  considered: Considered,
  assessor: Assessor,
  { someoneCanAnswer }: { readonly someoneCanAnswer: boolean },
): Promise<Considered | undefined> {
  const { proposal, decision, profile } = considered;
  const isWanted = profile?.handBack === "always" || (profile?.handBack === "no-approver" && !someoneCanAnswer);
  if (decision.verdict !== "ask" || !proposal.handsBack || proposal.doubt !== undefined || !isWanted) return undefined;
  const outside =
    proposal.executor.kind === "external"
      ? considered
      : await assessor.assess({ ...proposal, executor: { kind: "external", enforcement: "none" } });
  if (outside.decision.verdict !== "ask" || outside.profile === null) return undefined;
  if (!mayHandBack(outside.classification, outside.profile, outside.circumstances)) return undefined;
  const reason = `Left to the agent's own prompt: ${outside.decision.reason}`;
  return { ...outside, decision: { ...outside.decision, verdict: "allow", by: "agent-prompt", reason } };
}
