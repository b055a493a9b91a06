import { filterSecrets } from "@countersign/core/redaction";
import type { JailPlan } from "@countersign/jail";
import { type Decision, readSandboxCall, readToolCall } from "@countersign/policy";
import type { Outcome } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import { type LedgerDraft, saltedHash, saltedProposalHash } from "@countersign/store";
import { type Assurance, assured } from "../identity/index.ts";
import { type Assessment, bindingHash, describeCredentials } from "../proposals/index.ts";

/** Who answered, where a person did. */
export interface Answerer {
  readonly approvalId: string;
  readonly person?: string;
  readonly assurance?: Assurance;
  /** What else is on record about the answer, such as its scope. */
  readonly facts?: { readonly [key: string]: Json };
}

/** The intent, on record before any effect. Hashes and kinds only: the command's text never enters the ledger. */
export function decidedDraft(
  assessment: Assessment,
  decision: Decision,
  atMs: number,
  answerer?: Answerer,
): LedgerDraft {
  const { proposal, classification } = assessment;
  const body: Record<string, Json> = {
    verdict: decision.verdict,
    by: decision.by,
    reason: filterSecrets(decision.reason),
    riskLevel: decision.riskLevel,
    effects: [...new Set(classification.effects.map((effect) => effect.kind))].sort(),
    entries: [...decision.entryIds],
    proposalHash: saltedProposalHash(assessment.proposalHash, proposal.salt),
    binding: bindingHash(assessment.binding, proposal.salt),
    policyVersion: assessment.binding.policyVersion,
    jail: assessment.jail,
    ...(assessment.cut === undefined
      ? {}
      : { network: hostsOf(assessment.cut), lends: describeCredentials(assessment) }),
    enforcement: assessment.enforcement,
    executor: proposal.executor.kind,
    agent: proposal.agentName,
    proposedAtMs: proposal.createdAtMs,
    ...toolFact(proposal.command),
  };
  if (decision.repeats !== undefined) body.repeats = decision.repeats;
  if (answerer) Object.assign(body, { approvalId: answerer.approvalId, ...answerer.facts });
  if (answerer?.person !== undefined) Object.assign(body, { person: answerer.person, ...assured(answerer.assurance) });
  return { type: "decided", ...where(assessment), atMs, body };
}

function hostsOf({ hosts }: JailPlan): Json {
  return hosts === "any" ? hosts : hosts.map(filterSecrets);
}

interface Start {
  readonly permitId: string;
  readonly atMs: number;
  /** Somebody may give it input while it runs: what it does isn't in the command alone. */
  readonly input?: "stream" | "terminal" | undefined;
}

export function startedDraft(assessment: Assessment, { permitId, atMs, input }: Start): LedgerDraft {
  const body = {
    permit: permitId,
    ...(input === undefined ? {} : { input }),
    executor: assessment.proposal.executor.kind,
    binding: bindingHash(assessment.binding, assessment.proposal.salt),
    ...toolFact(assessment.proposal.command),
  };
  return { type: "started", ...where(assessment), atMs, body };
}

/** How it ended. Output is there only as a hash, and only when there was a run. */
export function endedDraft(
  at: {
    readonly sessionId: string;
    readonly proposalKey: string;
    readonly salt?: string | undefined;
    readonly command?: string | undefined;
  },
  outcome: Outcome,
  facts: { readonly atMs: number; readonly reportedBy: "hub" | "executor" },
): LedgerDraft {
  // The text that a person wrote stays out, as the agent's does; its hash stands with the decision.
  const { stdout, stderr, edited, ...rest } = outcome;
  const body: Record<string, Json> = { reportedBy: facts.reportedBy, ...toolFact(at.command ?? "") };
  if (edited !== undefined) body.editedBy = edited.by;
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) body[key] = value;
  if (stdout !== undefined) body.stdoutHash = saltedHash(stdout, at.salt);
  if (stderr !== undefined) body.stderrHash = saltedHash(stderr, at.salt);
  return { type: "ended", sessionId: at.sessionId, proposalKey: at.proposalKey, atMs: facts.atMs, body };
}

/** Somebody has a proposal tried out first. It answers nothing, and moves the proposal nowhere. */
export function previewDecidedDraft(
  assessment: Assessment,
  { approvalId, person, assurance, atMs }: Required<Omit<Answerer, "facts">> & { readonly atMs: number },
): LedgerDraft {
  const { decision, proposalHash, binding, jail, enforcement, proposal } = assessment;
  const body: Record<string, Json> = {
    ...{ approvalId, person, ...assured(assurance), verdict: decision.verdict, by: decision.by },
    ...{ reason: filterSecrets(decision.reason), riskLevel: decision.riskLevel },
    proposalHash: saltedProposalHash(proposalHash, proposal.salt),
    ...{ binding: bindingHash(binding, proposal.salt), policyVersion: binding.policyVersion, jail, enforcement },
    agent: proposal.agentName,
  };
  return { type: "preview-decided", ...where(assessment), atMs, body };
}

/** How the preview ended. What it printed and changed is there only as hashes and counts. */
export function previewEndedDraft(
  at: Parameters<typeof endedDraft>[0],
  outcome: Outcome,
  { atMs, ...facts }: { readonly atMs: number; readonly facts?: { readonly [key: string]: Json } },
): LedgerDraft {
  const ended = endedDraft(at, outcome, { atMs, reportedBy: "hub" });
  return { ...ended, type: "preview-ended", body: { ...ended.body, ...facts.facts } };
}

function where({ proposal }: Assessment): { sessionId: string; proposalKey: string } {
  return { sessionId: proposal.sessionId, proposalKey: proposal.key };
}

/** Which tool or sandbox it is about, where it is such a call: of a command there is nothing but hashes, but these have names. */
function toolFact(command: string): { readonly [key: string]: Json } {
  const inSandbox = readSandboxCall(command)?.call;
  if (inSandbox) return { sandbox: { id: inSandbox.sandbox, call: inSandbox.kind } };
  const call = readToolCall(command);
  return call ? { tool: { server: filterSecrets(call.server), name: filterSecrets(call.tool) } } : {};
}
