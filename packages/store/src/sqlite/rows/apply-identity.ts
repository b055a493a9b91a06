import type { DeviceRecord, Refusal, TokenRecord, WriteOf } from "../../contract/index.ts";
import { ms, msOrNull, type Statements, text, textOrNull } from "../base/index.ts";

export function insertToken(sql: Statements, token: TokenRecord): null {
  sql.run(
    "INSERT INTO token (id, hash, role, name, unattended, created_at_ms, revoked_at_ms, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    text(token.id),
    text(token.hash),
    token.role,
    text(token.name),
    token.unattended ? 1 : 0,
    ms(token.createdAtMs),
    msOrNull(token.revokedAtMs),
    textOrNull(token.madeBy),
  );
  return null;
}

export function claimDevice(sql: Statements, device: DeviceRecord): Refusal | null {
  const { id, tokenId, publicKey } = device;
  if (publicKey !== null && signsElsewhere(sql, { id, tokenId })) return "DEVICE_FOREIGN";
  sql.run(
    `INSERT INTO device (id, token_id, name, public_key, created_at_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET public_key = coalesce(public_key, excluded.public_key)
      WHERE token_id = excluded.token_id`,
    text(device.id),
    text(device.tokenId),
    text(device.name),
    textOrNull(device.publicKey),
    ms(device.createdAtMs),
  );
  const row = sql.one("SELECT token_id, public_key FROM device WHERE id = ?", device.id);
  const ours = row?.token_id === device.tokenId && (device.publicKey === null || row.public_key === device.publicKey);
  return ours ? null : "DEVICE_FOREIGN";
}

/** One key for a token: of two that come at once, one signs. */
function signsElsewhere(sql: Statements, { id, tokenId }: { id: string; tokenId: string }): boolean {
  const found = `SELECT 1 FROM device INDEXED BY device_that_signs
    WHERE token_id = ? AND public_key IS NOT NULL AND id <> ?`;
  return sql.one(found, text(tokenId), text(id)) !== undefined;
}

export function useNonce(sql: Statements, { nonce, atMs }: WriteOf<"use-nonce">): Refusal | null {
  const changed = sql.run(
    "INSERT INTO nonce (nonce, used_at_ms) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING",
    text(nonce),
    ms(atMs),
  );
  return changed === 1 ? null : "NONCE_USED";
}
