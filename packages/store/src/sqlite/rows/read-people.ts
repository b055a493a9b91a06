import type { Json } from "@countersign/receipts";
import {
  type AnswerCount,
  type ChatRecord,
  type DenialRecord,
  type DeviceRecord,
  type EntryUse,
  type GrantRecord,
  MAX_PAGE,
  type MessageRecord,
  type SessionRecord,
  type TokenRecord,
  type UsedChat,
} from "../../contract/index.ts";
import {
  toAnswerCount,
  toChat,
  toDenial,
  toDevice,
  toEntryUse,
  toGrant,
  toMessage,
  toSession,
  toSetting,
  toToken,
  toUsedChat,
} from "./decode.ts";
import { assertLimit, MAX_MS, Reader } from "./reader.ts";

/** Directories that one shape was answered about in. */
const MAX_ANSWERED = 1_000;

/** Through the indexes, which are in this order. */
const CHATS = `SELECT chat.*, created_at_ms FROM chat CROSS JOIN session ON session.id = chat.session_id
  ORDER BY chat.last_at_ms DESC, chat.session_id DESC LIMIT ?`;
const CHATS_OF_OWNER = `SELECT chat.*, created_at_ms FROM chat CROSS JOIN session ON session.id = chat.session_id
  WHERE chat.owner_id = ? ORDER BY chat.last_at_ms DESC, chat.session_id DESC LIMIT ?`;

/** Who there is, what they said, and what they chose. */
export abstract class PeopleReader extends Reader {
  async session(id: string): Promise<SessionRecord | null> {
    return this.one(toSession, "SELECT * FROM session WHERE id = ?", id);
  }

  async sessions(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly SessionRecord[]> {
    assertLimit(page.limit);
    const { ownerId, limit } = page;
    if (ownerId === undefined)
      return this.all(toSession, "SELECT * FROM session ORDER BY created_at_ms DESC, id DESC LIMIT ?", limit);
    const sql = "SELECT * FROM session WHERE owner_id = ? ORDER BY created_at_ms DESC, id DESC LIMIT ?";
    return this.all(toSession, sql, ownerId, limit);
  }

  async chat(sessionId: string): Promise<ChatRecord | null> {
    return this.one(toChat, "SELECT * FROM chat WHERE session_id = ?", sessionId);
  }

  async chats(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly UsedChat[]> {
    assertLimit(page.limit);
    const { ownerId, limit } = page;
    if (ownerId === undefined) return this.all(toUsedChat, CHATS, limit);
    return this.all(toUsedChat, CHATS_OF_OWNER, ownerId, limit);
  }

  async messages(page: {
    readonly sessionId: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly MessageRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM message WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?";
    return this.all(toMessage, sql, page.sessionId, page.before ?? MAX_MS, page.limit);
  }

  async tokens(): Promise<readonly TokenRecord[]> {
    return this.all(toToken, "SELECT * FROM token ORDER BY created_at_ms, id");
  }

  async device(id: string): Promise<DeviceRecord | null> {
    return this.one(toDevice, "SELECT * FROM device WHERE id = ?", id);
  }

  async devices(): Promise<readonly DeviceRecord[]> {
    const sql = `SELECT * FROM device ORDER BY created_at_ms DESC, id DESC LIMIT ${MAX_PAGE}`;
    return this.all(toDevice, sql).toReversed();
  }

  async signingDevices(): Promise<readonly DeviceRecord[]> {
    return this.all(toDevice, "SELECT * FROM device WHERE public_key IS NOT NULL ORDER BY created_at_ms, id");
  }

  async setting(key: string): Promise<Json | undefined> {
    const found = this.one((row) => ({ value: toSetting(row) }), "SELECT key, value FROM setting WHERE key = ?", key);
    return found?.value;
  }

  async settingKeys(page: { readonly prefix: string; readonly limit: number }): Promise<readonly string[]> {
    assertLimit(page.limit);
    // Up to the last key that begins so: no character is greater.
    const sql = "SELECT key FROM setting WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
    return this.all(({ key }) => String(key), sql, page.prefix, `${page.prefix}\u{10ffff}`, page.limit);
  }

  async entryUses(profileId: string): Promise<readonly EntryUse[]> {
    return this.all(toEntryUse, "SELECT * FROM entry_use WHERE profile_id = ? ORDER BY entry_id", profileId);
  }

  async answerCounts(profileId: string, shape: string): Promise<readonly AnswerCount[]> {
    const sql = `SELECT * FROM answer_count WHERE profile_id = ? AND shape = ?
      ORDER BY last_at_ms DESC, directory LIMIT ${MAX_ANSWERED}`;
    return this.all(toAnswerCount, sql, profileId, shape);
  }

  async grants(): Promise<readonly GrantRecord[]> {
    return this.all(toGrant, "SELECT * FROM answer_grant ORDER BY at_ms, id");
  }

  async denials(): Promise<readonly DenialRecord[]> {
    return this.all(toDenial, "SELECT * FROM denial ORDER BY at_ms, approval_id");
  }

  async denialCounts(): Promise<ReadonlyMap<string, number>> {
    return new Map(
      this.all((row) => [String(row.session_id), Number(row.count)] as const, "SELECT * FROM denial_count"),
    );
  }
}
