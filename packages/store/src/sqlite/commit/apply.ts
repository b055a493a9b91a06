import type { ApprovalRecord, Refusal, SessionRecord, Write, WriteOf } from "../../contract/index.ts";
import type { LedgerDraft, LedgerEntry } from "../../ledger/index.ts";
import { json, jsonOrNull, ms, msOrNull, type Statements, text, textOrNull } from "../base/index.ts";
import type { LedgerTransaction } from "../ledger/index.ts";
import {
  advanceProposal,
  applyAnswer,
  claimDevice,
  insertMessage,
  insertProposal,
  insertToken,
  isAnswerWrite,
  openChat,
  useNonce,
} from "../rows/index.ts";

/** What the writes of one commit share: the transaction's ledger, and the entries made. */
interface Progress {
  readonly sql: Statements;
  readonly ledger: LedgerTransaction;
  readonly entries: LedgerEntry[];
  /** Where another process signs: keeps the draft for it. */
  readonly keep?: ((draft: LedgerDraft) => void) | undefined;
}

/** Makes one change inside the caller's savepoint. Returns why it is refused; throws when it can't be made at all. */
export function applyWrite(progress: Progress, write: Write): Refusal | null {
  const { sql } = progress;
  if (isAnswerWrite(write)) return applyAnswer(sql, write);
  switch (write.op) {
    case "claim-session":
      return claimSession(sql, write.session);
    case "insert-proposal":
      return insertProposal(sql, write.proposal);
    case "advance-proposal":
      return advanceProposal(sql, write);
    case "insert-approval":
      return insertApproval(sql, write.approval);
    case "close-approval":
      return closeApproval(sql, write);
    case "mark-delivered":
      return markDelivered(sql, write);
    case "append":
      json(write.draft.body);
      if (progress.keep) progress.keep(write.draft);
      else progress.entries.push(progress.ledger.append(write.draft, write.key));
      return null;
    case "checkpoint":
      progress.entries.push(progress.ledger.checkpoint(ms(write.atMs)));
      return null;
    case "put-setting":
      sql.run("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", text(write.key), json(write.value));
      return null;
    case "insert-token":
      return insertToken(sql, write.token);
    case "revoke-token":
      sql.run(
        "UPDATE token SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL",
        ms(write.atMs),
        text(write.id),
      );
      return null;
    case "claim-device":
      return claimDevice(sql, write.device);
    case "use-nonce":
      return useNonce(sql, write);
    case "open-chat":
      return openChat(sql, write.chat);
    case "insert-message":
      return insertMessage(sql, write.message);
    case "count-entry-use":
      return countEntryUse(sql, write);
    case "prune-outcomes":
      sql.run(
        "UPDATE proposal SET outcome = NULL WHERE state = 'ended' AND outcome IS NOT NULL AND ended_at_ms < ?",
        ms(write.endedBeforeMs),
      );
      return null;
  }
}

function claimSession(sql: Statements, session: SessionRecord): Refusal | null {
  sql.run(
    "INSERT INTO session (id, owner_id, agent_name, created_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    text(session.id),
    text(session.ownerId),
    text(session.agentName),
    ms(session.createdAtMs),
  );
  const row = sql.one("SELECT owner_id FROM session WHERE id = ?", session.id);
  return row?.owner_id === session.ownerId ? null : "SESSION_FOREIGN";
}

function insertApproval(sql: Statements, approval: ApprovalRecord): null {
  sql.run(
    `INSERT INTO approval (id, subject, proposal_key, session_id, profile_id, state, expires_at_ms, delivered_at_ms,
       payload, resolution) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    text(approval.id),
    approval.subject,
    textOrNull(approval.proposalKey),
    text(approval.sessionId),
    text(approval.profileId),
    approval.state,
    ms(approval.expiresAtMs),
    msOrNull(approval.deliveredAtMs),
    json(approval.payload),
    jsonOrNull(approval.resolution),
  );
  return null;
}

function closeApproval(sql: Statements, write: WriteOf<"close-approval">): Refusal | null {
  const changed = sql.run(
    "UPDATE approval SET state = ?, resolution = ?, payload = COALESCE(?, payload) WHERE id = ? AND state = ?",
    write.state,
    json(write.resolution),
    jsonOrNull(write.payload ?? null),
    text(write.id),
    write.from ?? "pending",
  );
  return changed === 1 ? null : "NOT_PENDING";
}

function markDelivered(sql: Statements, write: WriteOf<"mark-delivered">): null {
  const atMs = ms(write.atMs);
  for (const id of write.ids) {
    sql.run(
      "UPDATE approval SET delivered_at_ms = ? WHERE id = ? AND state = 'pending' AND delivered_at_ms IS NULL",
      atMs,
      text(id),
    );
  }
  return null;
}

function countEntryUse(sql: Statements, write: WriteOf<"count-entry-use">): null {
  const atMs = ms(write.atMs);
  for (const entryId of write.entryIds) {
    sql.run(
      `INSERT INTO entry_use (profile_id, entry_id, hits, last_used_at_ms) VALUES (?, ?, 1, ?)
       ON CONFLICT (profile_id, entry_id)
       DO UPDATE SET hits = hits + 1, last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)`,
      text(write.profileId),
      text(entryId),
      atMs,
    );
  }
  return null;
}
