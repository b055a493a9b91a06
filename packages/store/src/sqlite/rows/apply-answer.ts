import type { DenialRecord, GrantRecord, Refusal, Write, WriteOf } from "../../contract/index.ts";
import { json, ms, type Statements, text, textOrNull } from "../base/index.ts";

const OPS = [
  "count-answer",
  "insert-grant",
  "remove-grants",
  "take-grant",
  "insert-denial",
  "forget-denial",
  "reset-denials",
  "prune-denials",
] as const;
type AnswerWrite = Extract<Write, { readonly op: (typeof OPS)[number] }>;

export function isAnswerWrite(write: Write): write is AnswerWrite {
  return (OPS as readonly string[]).includes(write.op);
}

/** What people allowed and denied, beside the approval itself. */
export function applyAnswer(sql: Statements, write: AnswerWrite): Refusal | null {
  switch (write.op) {
    case "count-answer":
      return countAnswer(sql, write);
    case "insert-grant":
      return insertGrant(sql, write.grant);
    case "remove-grants":
      for (const id of write.ids) sql.run("DELETE FROM answer_grant WHERE id = ?", text(id));
      return null;
    case "take-grant":
      return sql.run("DELETE FROM answer_grant WHERE id = ?", text(write.id)) === 1 ? null : "GRANT_GONE";
    case "insert-denial":
      return insertDenial(sql, write.denial);
    case "forget-denial":
      sql.run(
        "DELETE FROM denial WHERE session_id = ? AND proposal_hash = ?",
        text(write.sessionId),
        text(write.proposalHash),
      );
      return resetCount(sql, write.sessionId);
    case "reset-denials":
      return resetCount(sql, write.sessionId);
    case "prune-denials":
      sql.run("DELETE FROM denial WHERE at_ms < ?", ms(write.beforeMs));
      return null;
  }
}

function countAnswer(sql: Statements, write: WriteOf<"count-answer">): null {
  const [allowed, denied] = write.verdict === "allow" ? [1, 0] : [0, 1];
  for (const shape of write.shapes) {
    sql.run(
      `INSERT INTO answer_count (profile_id, shape, directory, allowed, denied, last_at_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (profile_id, shape, directory) DO UPDATE SET allowed = allowed + excluded.allowed,
         denied = denied + excluded.denied, last_at_ms = max(last_at_ms, excluded.last_at_ms)`,
      text(write.profileId),
      text(shape),
      text(write.directory),
      allowed,
      denied,
      ms(write.atMs),
    );
  }
  return null;
}

function insertGrant(sql: Statements, grant: GrantRecord): null {
  sql.run(
    `INSERT INTO answer_grant (id, profile_id, session_id, at_ms, expires_at_ms, kind, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    text(grant.id),
    text(grant.profileId),
    textOrNull(grant.sessionId),
    ms(grant.atMs),
    ms(grant.expiresAtMs),
    grant.kind,
    json(grant.body),
  );
  return null;
}

function insertDenial(sql: Statements, denial: DenialRecord): null {
  sql.run(
    "INSERT INTO denial (approval_id, session_id, at_ms, proposal_hash, body) VALUES (?, ?, ?, ?, ?)",
    text(denial.approvalId),
    text(denial.sessionId),
    ms(denial.atMs),
    text(denial.proposalHash),
    json(denial.body),
  );
  sql.run(
    "INSERT INTO denial_count (session_id, count) VALUES (?, 1) ON CONFLICT (session_id) DO UPDATE SET count = count + 1",
    denial.sessionId,
  );
  return null;
}

function resetCount(sql: Statements, sessionId: string): null {
  sql.run("DELETE FROM denial_count WHERE session_id = ?", text(sessionId));
  return null;
}
