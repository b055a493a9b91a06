import type { Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { JailCut } from "@countersign/jail";
import type { Considered } from "../proposals/index.ts";

/**
 * The same proposal as it is run for a preview: in a jail that writes to the workspace or to nothing, without network and so
 * without anything lent. Refuses what this hub wouldn't run in a jail.
 */
export function previewed(considered: Considered | undefined, person: string, limits: Limits): Considered {
  const reason = considered ? whyNot(considered) : "it is about a change of the policy";
  if (!considered?.cut || reason !== undefined) {
    throw new HubError("INVALID_PARAMS", `There's no preview of this: ${reason ?? "nothing here runs in a jail"}`);
  }
  const cut = narrowed(considered.cut);
  const { proposal, binding, decision } = considered;
  return {
    ...considered,
    cut,
    jail: cut.kind,
    binding: { ...binding, jail: cut.kind },
    proposal: { ...proposal, runTimeoutMs: Math.min(proposal.runTimeoutMs, limits.previewMs) },
    decision: { ...decision, verdict: "allow", by: "person", reason: `Previewed by ${person}` },
  };
}

function whyNot({ proposal, enforcement }: Considered): string | undefined {
  if (proposal.executor.kind !== "local") return "the agent runs it itself";
  return enforcement === "jail" ? undefined : "nothing here runs in a jail";
}

function narrowed(cut: JailCut): JailCut {
  const writes = cut.kind === "workspace" || cut.kind === "open";
  return { ...cut, kind: writes ? "workspace" : "read-only", hosts: [] };
}
