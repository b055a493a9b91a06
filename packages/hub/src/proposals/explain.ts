import { LOCAL_AGENT } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { redactExplanation } from "@countersign/core/redaction";
import { decide, type Explanation, explain, isCall } from "@countersign/policy";
import { explainSchema } from "@countersign/protocol/proposals";
import { isBuiltIn } from "../policies/index.ts";
import { accept, type Origin, type Setting } from "./accept.ts";
import type { Judge } from "./judge.ts";

/**
 * What would become of a command if a local agent proposed it, and why. Looks at the machine as a proposal does, and
 * leaves nothing behind.
 */
export async function explainCommand(
  raw: unknown,
  judge: Judge,
  {
    profileIds,
    ...setting
  }: Setting & {
    /** Profiles that have a file; `default` needs none. */
    readonly profileIds: () => readonly string[];
  },
): Promise<Explanation> {
  const { profile: profileId, ...params } = readOrRefuse(explainSchema, raw);
  if (profileId !== undefined && !isBuiltIn(profileId) && !profileIds().includes(profileId)) {
    throw new HubError("INVALID_PARAMS", `profile: there's no profile ${profileId}`);
  }
  const from = { identity: LOCAL_AGENT, attached: true, ...howItComes(params.command) } as const;
  const accepted = accept(params, from, setting);
  const proposal = profileId === undefined ? accepted : { ...accepted, profileId };
  const { classification, circumstances, decision, profile, showScript } = await judge.judge(proposal);
  const jailed = { ...circumstances, enforcement: "jail" } as const;
  const explanation = explain(proposal.command, classification, {
    decision,
    inJail: profile ? decide(classification, profile, jailed) : decision,
    enforcement: circumstances.enforcement,
    hashFile: circumstances.hashFile,
    profile: profile ?? { safeIsMiss: false },
    roots: proposal.roots,
    showScript,
  });
  return redactExplanation(explanation);
}

/** A tool call is explained as it comes from an agent's hook. */
function howItComes(command: string): Pick<Origin, "executor" | "isToolCall"> {
  if (!isCall(command)) return { executor: { kind: "local" } };
  return { executor: { kind: "external", enforcement: "none" }, isToolCall: true };
}
