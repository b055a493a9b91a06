import { isInside } from "@countersign/core/host/fs";
import { filterSecrets, filterSecretsDeep, redactCommand } from "@countersign/core/redaction";
import type { Decision, Effect } from "@countersign/policy";
import type { Outcome } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import type { Commit, DecidedRecord, LedgerEntry, ProposalRecord, SessionRecord, Write } from "@countersign/store";
import type { Assessment, Proposal } from "../proposals/index.ts";
import { type Answerer, decidedDraft, endedDraft } from "./drafts.ts";
import { refusedOutcome } from "./refused-outcome.ts";

export interface DecisionToRecord {
  readonly assessment: Assessment;
  readonly decision: Decision;
  readonly atMs: number;
  readonly answerer?: Answerer;
}

/** Decided by policy at once: the proposal first enters the store together with its decision. */
export function newDecisionWrites(record: DecisionToRecord): Write[] {
  const refused = refusal(record);
  const state = refused ? "ended" : "decided";
  return [
    ...openingWrites(record.assessment, { state, outcome: refused, atMs: record.atMs, decided: decidedRecord(record) }),
    ...ledgerWrites(record, refused),
  ];
}

/** The entry that a decision is told by: of what is allowed its decision, of a refusal how the proposal ended. */
export function decisionEntry(
  { entries }: Commit & { ok: true },
  { decision, proposal: { key } }: Assessment,
): LedgerEntry | undefined {
  const told = decision.verdict === "allow" ? "decided" : "ended";
  return entries.find(({ type, proposalKey }) => type === told && proposalKey === key);
}

/** Decided after asking: the proposal leaves `pending`. */
export function answeredDecisionWrites(record: DecisionToRecord): Write[] {
  const { key } = record.assessment.proposal;
  const refused = refusal(record);
  const decided = decidedRecord(record);
  const advance: Write = refused
    ? {
        op: "advance-proposal",
        key,
        from: "pending",
        to: "ended",
        set: { decided, ...endedFields(record.assessment.proposal, refused, record.atMs) },
      }
    : { op: "advance-proposal", key, from: "pending", to: "decided", set: { decided, ...whatRuns(record.assessment) } };
  return [advance, ...ledgerWrites(record, refused)];
}

/** Where a person changed the command, the row is about what runs. */
function whatRuns({ edited, proposal: { command } }: Assessment): { command?: string } {
  return edited === undefined ? {} : { command };
}

/** The proposal and its session, as they first enter the store. */
export function openingWrites(
  assessment: Assessment,
  opening: Pick<ProposalRecord, "state"> &
    Partial<Pick<ProposalRecord, "decided">> & { atMs: number; outcome?: Outcome | undefined; approvalId?: string },
): Write[] {
  const { proposal } = assessment;
  const session: SessionRecord = {
    id: proposal.sessionId,
    ownerId: proposal.ownerId,
    agentName: proposal.agentName,
    createdAtMs: opening.atMs,
  };
  const ended = opening.outcome ? endedFields(proposal, opening.outcome, opening.atMs) : {};
  const record: ProposalRecord = {
    key: proposal.key,
    ownerId: proposal.ownerId,
    proposalId: proposal.proposalId,
    sessionId: proposal.sessionId,
    state: opening.state,
    attached: proposal.attached,
    bodyHash: proposal.bodyHash,
    command: proposal.command,
    cwd: proposal.cwd,
    env: proposal.env,
    details: detailsOf(assessment),
    approvalId: opening.approvalId ?? null,
    createdAtMs: proposal.createdAtMs,
    endedAtMs: null,
    decided: opening.decided ?? null,
    outcome: null,
    ...ended,
  };
  return [
    { op: "claim-session", session },
    { op: "insert-proposal", proposal: record },
  ];
}

/**
 * What changes in the row when a proposal ends: the outcome comes, the unredacted text goes. The details served to go on
 * after a restart, and hold the text too; what is kept of them says under which rules it was judged.
 */
export function endedFields(
  { command, cwd, env, ...judged }: Pick<ProposalRecord, "command" | "cwd" | "env"> & Partial<Judged>,
  outcome: Outcome,
  atMs: number,
): Pick<ProposalRecord, "outcome" | "command" | "cwd" | "env" | "details" | "endedAtMs"> {
  return {
    outcome: outcome as Record<string, Json>,
    command: redactCommand(command),
    cwd: filterSecrets(cwd),
    env: filterSecretsDeep(env),
    details: { settled: true, ...settledDetails(judged) },
    endedAtMs: atMs,
  };
}

type Judged = Pick<Proposal, "profileId" | "roots" | "attended" | "executor" | "salt">;

/** The salt stays as long as the row: without it nobody could tell that a text is the one that was hashed. */
function settledDetails({ profileId, roots, attended, executor, salt }: Partial<Judged>): Record<string, Json> {
  const kept = { ...filterSecretsDeep({ profileId, roots, attended, executor }), salt };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) as Record<string, Json>;
}

function ledgerWrites(
  { assessment, decision, atMs, answerer }: DecisionToRecord,
  refused: Outcome | undefined,
): Write[] {
  const { proposal } = assessment;
  const writes: Write[] = [{ op: "append", draft: decidedDraft(assessment, decision, atMs, answerer) }];
  const { sessionId, key: proposalKey, salt, command } = proposal;
  const at = { sessionId, proposalKey, salt, command };
  if (refused) writes.push({ op: "append", draft: endedDraft(at, refused, { atMs, reportedBy: "hub" }) });
  if (decision.entryIds.length > 0) {
    writes.push({ op: "count-entry-use", profileId: proposal.profileId, entryIds: decision.entryIds, atMs });
  }
  return writes;
}

function refusal({ assessment, decision, answerer }: DecisionToRecord): Outcome | undefined {
  return decision.verdict === "allow" ? undefined : refusedOutcome(decision, answerer?.approvalId, assessment.edited);
}

/** What `proposalFromRecord` needs to go on after a restart. */
function detailsOf({ proposal, binding, proposalHash }: Assessment): Record<string, Json> {
  const { agentName, reason, jail, salt, mustAskReason, runTimeoutMs, profileId, roots, attended, executor } = proposal;
  const details = { agentName, runTimeoutMs, profileId, roots, attended, executor, binding, proposalHash };
  const optional = {
    ...(reason === undefined ? {} : { reason }),
    ...(jail ? { jail } : {}),
    ...(salt ? { salt } : {}),
    ...(mustAskReason ? { doubt: mustAskReason } : {}),
  };
  return { ...details, ...optional } as unknown as Record<string, Json>;
}

/** Of one proposal. The card has all of them, as long as it waits. */
const MAX_NAMES = 8;
const MAX_NAME = 256;

const NETWORK = new Set(["network-read", "network-send"]);
const CHANGES = new Set(["writes", "deletes", "persistence"]);

/** What a history tells of a decision. It is kept for good, so nothing in it is a secret. */
function decidedRecord({
  assessment: { proposal, classification, repository },
  decision,
  atMs,
  answerer,
}: {
  readonly assessment: Assessment;
  readonly decision: Decision;
  readonly atMs: number;
  readonly answerer?: Answerer;
}): DecidedRecord {
  const { effects } = classification;
  return {
    atMs,
    by: decision.by,
    person: answerer?.person ?? null,
    asked: answerer !== undefined,
    verdict: decision.verdict,
    risk: decision.riskLevel,
    agent: proposal.agentName,
    repository: repository === undefined ? null : filterSecrets(repository),
    entries: [...decision.entryIds],
    hosts: named(effects.flatMap(hostOf)),
    outside: named(effects.flatMap((effect) => outsideOf(effect, proposal.roots))),
  };
}

/** What is fetched into a file is about that file, too. */
function hostOf({ kind, target = "any", hosts }: Effect): readonly string[] {
  if (!NETWORK.has(kind)) return [];
  return hosts ?? (target.startsWith("/") ? [] : [target]);
}

/** A file that is no device, and in none of its roots. */
function outsideOf({ kind, target }: Effect, roots: readonly string[]): string[] {
  if (!CHANGES.has(kind) || !target?.startsWith("/") || target.startsWith("/dev/")) return [];
  return roots.some((root) => isInside(target, root)) ? [] : [target];
}

function named(names: readonly string[]): string[] {
  const distinct = [...new Set(names.map((name) => filterSecrets(name).slice(0, MAX_NAME).toWellFormed()))];
  return distinct.slice(0, MAX_NAMES);
}
