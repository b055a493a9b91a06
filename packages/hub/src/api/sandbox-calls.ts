import type { Clock, Identity } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { wordsForAgent } from "@countersign/protocol/describe";
import {
  type ProposeSandboxCallParams,
  proposeSandboxCallSchema,
  reportSandboxCallSchema,
  type SandboxCallAnswer,
} from "@countersign/protocol/records";
import type { Hub } from "../hub/index.ts";
import type { Passed } from "../pipeline/index.ts";
import { sandboxCallProposal } from "../proposals/index.ts";

interface Asking {
  readonly identity: Identity;
  /** Aborted when the gate no longer waits. */
  readonly gone: AbortSignal;
}

const NOT_ALLOWED = "It isn't allowed.";

/**
 * Proposes a call that a gate in front of a sandbox's execd holds back. The gate lets the call pass with the returned
 * permit, and reports how it ended.
 */
export async function proposeSandboxCall(
  raw: unknown,
  { identity, gone }: Asking,
  hub: Hub,
  clock: Clock,
): Promise<SandboxCallAnswer> {
  const params: ProposeSandboxCallParams = readOrRefuse(proposeSandboxCallSchema, raw, "Not a call into a sandbox: ");
  const { enforcement, patienceMs } = params;
  const fromMs = clock.monotonicMs();
  const how = { enforcement, patienceMs, signal: gone };
  const passed = await hub.proposals.proposeCall(sandboxCallProposal(params, identity), identity, how);
  if (!("permit" in passed)) return refused(passed, clock.monotonicMs() - fromMs);
  const { id } = passed.permit;
  if (gone.aborted) {
    const reason = "The gate didn't wait for the answer, so nothing was let through";
    await hub.report(id, { kind: "not-started", reason }, identity);
  }
  return { permit: id };
}

export async function reportSandboxCall(raw: unknown, identity: Identity, hub: Hub): Promise<void> {
  const { permit, outcome } = readOrRefuse(reportSandboxCallSchema, raw, "Not a report: ");
  await hub.report(permit, outcome, identity);
}

/** Without a hand-back: a gate has no prompt of its own. */
function refused(passed: Passed, waitedMs: number): SandboxCallAnswer {
  if (!("outcome" in passed)) return { outcome: { kind: "not-started" }, words: NOT_ALLOWED };
  const { outcome } = passed;
  return { outcome, words: wordsForAgent(outcome, waitedMs) ?? NOT_ALLOWED };
}
