import type { ChatRecord, MessageRecord, Refusal } from "../../contract/index.ts";
import { json, ms, type Statements, text } from "../base/index.ts";

export function openChat(sql: Statements, chat: ChatRecord): null {
  sql.run(
    `INSERT INTO chat (session_id, agent, proposer, unattended, owner_id, last_at_ms) VALUES (?1, ?2, ?3, ?4,
        coalesce((SELECT owner_id FROM session WHERE id = ?1), ''),
        coalesce((SELECT created_at_ms FROM session WHERE id = ?1), 0))
      ON CONFLICT (session_id) DO NOTHING`,
    text(chat.sessionId),
    text(chat.agent),
    text(chat.proposer),
    chat.unattended ? 1 : 0,
  );
  return null;
}

export function insertMessage(sql: Statements, message: MessageRecord): Refusal | null {
  const made = sql.run(
    `INSERT INTO message (session_id, seq, run_id, at_ms, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id, seq) DO NOTHING`,
    text(message.sessionId),
    ms(message.seq),
    text(message.runId),
    ms(message.atMs),
    json(message.body),
  );
  if (made !== 1) return "MESSAGE_EXISTS";
  sql.run("UPDATE chat SET last_at_ms = ? WHERE session_id = ?", ms(message.atMs), message.sessionId);
  return null;
}
