import type { Json } from "@countersign/receipts";
import type { ProposalRecord, Refusal, WriteOf } from "../../contract/index.ts";
import { StoreError } from "../../ledger/index.ts";
import { json, jsonOrNull, ms, msOrNull, type Statements, text, textOrNull } from "../base/index.ts";
import { keepEnded } from "../history/index.ts";

export function insertProposal(sql: Statements, proposal: ProposalRecord): Refusal | null {
  const inserted = sql.run(
    `INSERT INTO proposal (key, owner_id, proposal_id, session_id, state, attached, body_hash, command, cwd, env, details,
       approval_id, created_at_ms, ended_at_ms, decided, outcome, outcome_kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, proposal_id) DO NOTHING`,
    text(proposal.key),
    text(proposal.ownerId),
    text(proposal.proposalId),
    text(proposal.sessionId),
    proposal.state,
    proposal.attached ? 1 : 0,
    text(proposal.bodyHash),
    text(proposal.command),
    text(proposal.cwd),
    json(proposal.env),
    json(proposal.details),
    textOrNull(proposal.approvalId),
    ms(proposal.createdAtMs),
    msOrNull(proposal.endedAtMs),
    jsonOrNull(decidedJson(proposal.decided)),
    jsonOrNull(proposal.outcome),
    outcomeKind(proposal.outcome),
  );
  if (inserted !== 1) return "PROPOSAL_EXISTS";
  if (proposal.state === "ended") keepEnded(sql, proposal.key, proposal.outcome);
  return null;
}

const STATE_ORDER = { pending: 0, decided: 1, started: 2, ended: 3 } as const;

export function advanceProposal(sql: Statements, write: WriteOf<"advance-proposal">): Refusal | null {
  if (STATE_ORDER[write.to] < STATE_ORDER[write.from]) {
    throw new StoreError("INVALID", `a proposal can't go back from ${write.from} to ${write.to}`);
  }
  const { set = {} } = write;
  // The text is made of fixed pieces only, at most 256 different ones, so that each is prepared once.
  const columns = ["state = ?"];
  const values: (string | number | null)[] = [write.to];
  const assign = (column: string, value: string | number | null) => {
    columns.push(`${column} = ?`);
    values.push(value);
  };
  if (set.approvalId !== undefined) assign("approval_id", textOrNull(set.approvalId));
  if (set.command !== undefined) assign("command", text(set.command));
  if (set.cwd !== undefined) assign("cwd", text(set.cwd));
  if (set.env !== undefined) assign("env", json(set.env));
  if (set.details !== undefined) assign("details", json(set.details));
  if (set.decided !== undefined) assign("decided", jsonOrNull(decidedJson(set.decided)));
  if (set.endedAtMs !== undefined) assign("ended_at_ms", msOrNull(set.endedAtMs));
  if (set.outcome !== undefined) {
    assign("outcome", jsonOrNull(set.outcome));
    assign("outcome_kind", outcomeKind(set.outcome));
  }
  const changed = sql.run(
    `UPDATE proposal SET ${columns.join(", ")} WHERE key = ? AND state = ?`,
    ...values,
    text(write.key),
    write.from,
  );
  if (changed !== 1) return "STATE_CHANGED";
  if (write.to === "ended" && write.from !== "ended") keepEnded(sql, write.key, set.outcome ?? null);
  return null;
}

function decidedJson(decided: ProposalRecord["decided"]): Json {
  return decided as unknown as Json;
}

function outcomeKind(outcome: ProposalRecord["outcome"]): string | null {
  return typeof outcome?.kind === "string" ? text(outcome.kind) : null;
}
