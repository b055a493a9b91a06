import type { Json } from "@countersign/receipts";
import type {
  AnswerCount,
  ApprovalRecord,
  ChatRecord,
  CheckpointRecord,
  DenialRecord,
  DeviceRecord,
  EntryUse,
  GrantRecord,
  MessageRecord,
  ProposalRecord,
  SessionRecord,
  TokenRecord,
  UsedChat,
} from "../../contract/index.ts";
import {
  bodyIn,
  LEDGER_TYPES,
  type LedgerEntry,
  type LedgerHead,
  type LedgerRow,
  type StoredReceipt,
  StoreError,
} from "../../ledger/index.ts";
import type { Row } from "../base/index.ts";
import { readDecided } from "../history/index.ts";

type JsonObject = { readonly [key: string]: Json };

/**
 * Rows → records. Text columns and states are kept true by STRICT and CHECK, which quick_check verifies when the
 * database is opened; JSON and times are looked at here, see `Store` for what an unreadable one becomes.
 */
export function toSession(row: Row): SessionRecord {
  return {
    id: String(row.id),
    ownerId: String(row.owner_id),
    agentName: String(row.agent_name),
    createdAtMs: time(row.created_at_ms),
  };
}

export function toToken(row: Row): TokenRecord {
  return {
    id: String(row.id),
    hash: String(row.hash),
    role: String(row.role) as TokenRecord["role"],
    name: String(row.name),
    unattended: row.unattended === 1,
    createdAtMs: time(row.created_at_ms),
    revokedAtMs: timeOrNull(row.revoked_at_ms),
    madeBy: textOrNull(row.made_by),
  };
}

export function toDevice(row: Row): DeviceRecord {
  return {
    id: String(row.id),
    tokenId: String(row.token_id),
    name: String(row.name),
    publicKey: textOrNull(row.public_key),
    createdAtMs: time(row.created_at_ms),
  };
}

export function toProposal(row: Row): ProposalRecord {
  const env = parseObject(row.env);
  const details = parseObject(row.details);
  const outcome = row.outcome === null ? null : parseObject(row.outcome);
  const readable = env !== undefined && isTextMap(env) && details !== undefined && outcome !== undefined;
  return {
    key: String(row.key),
    ownerId: String(row.owner_id),
    proposalId: String(row.proposal_id),
    sessionId: String(row.session_id),
    state: String(row.state) as ProposalRecord["state"],
    attached: row.attached === 1,
    bodyHash: String(row.body_hash),
    command: String(row.command),
    cwd: String(row.cwd),
    env: readable ? env : {},
    details: readable ? details : {},
    approvalId: textOrNull(row.approval_id),
    createdAtMs: time(row.created_at_ms),
    endedAtMs: timeOrNull(row.ended_at_ms),
    decided: readDecided(row.decided) ?? null,
    outcome: outcome === undefined ? {} : outcome,
  };
}

export function toApproval(row: Row): ApprovalRecord {
  const payload = parseObject(row.payload);
  const resolution = row.resolution === null ? null : parseObject(row.resolution);
  const readable = payload !== undefined && resolution !== undefined;
  return {
    id: String(row.id),
    subject: String(row.subject) as ApprovalRecord["subject"],
    proposalKey: textOrNull(row.proposal_key),
    sessionId: String(row.session_id),
    profileId: String(row.profile_id),
    state: String(row.state) as ApprovalRecord["state"],
    expiresAtMs: time(row.expires_at_ms),
    deliveredAtMs: timeOrNull(row.delivered_at_ms),
    payload: readable ? payload : {},
    resolution: resolution === undefined ? {} : resolution,
  };
}

export function toLedgerEntry(row: Row): LedgerEntry {
  const type = LEDGER_TYPES.find((known) => known === row.type);
  const issuer = parseObject(row.raw)?.issuer as { readonly runtime?: unknown } | undefined;
  const body = type && bodyIn(type, issuer?.runtime);
  if (type === undefined || body === undefined) {
    throw new StoreError(
      "CORRUPT",
      `Ledger entry ${row.seq} is unreadable. Move the database away and restore a backup.`,
    );
  }
  return {
    seq: Number(row.seq),
    hash: String(row.hash),
    type,
    sessionId: textOrNull(row.session_id),
    proposalKey: textOrNull(row.proposal_key),
    atMs: time(row.at_ms),
    body,
  };
}

export function toStoredReceipt(row: Row): StoredReceipt {
  return { seq: Number(row.seq), raw: String(row.raw) };
}

export function toLedgerRow(row: Row): LedgerRow {
  return {
    ...toStoredReceipt(row),
    type: String(row.type),
    sessionId: textOrNull(row.session_id),
    proposalKey: textOrNull(row.proposal_key),
    atMs: time(row.at_ms),
    emitter: textOrNull(row.emitter),
    idempotencyKey: textOrNull(row.idempotency_key),
  };
}

export function toFoundReceipt(row: Row): StoredReceipt & LedgerHead {
  return { ...toStoredReceipt(row), hash: String(row.hash) };
}

export function toCheckpoint(row: Row): CheckpointRecord {
  return { size: Number(row.size), note: String(row.note), atMs: time(row.at_ms) };
}

export function toHead(row: Row): LedgerHead {
  return { seq: Number(row.seq), hash: String(row.hash) };
}

export function toEntryUse(row: Row): EntryUse {
  return { entryId: String(row.entry_id), hits: Number(row.hits), lastUsedAtMs: time(row.last_used_at_ms) };
}

export function toAnswerCount(row: Row): AnswerCount {
  const { shape, directory, allowed, denied } = row;
  return {
    shape: String(shape),
    directory: String(directory),
    allowed: Number(allowed),
    denied: Number(denied),
    lastAtMs: time(row.last_at_ms),
  };
}

export function toGrant(row: Row): GrantRecord {
  return {
    id: String(row.id),
    profileId: String(row.profile_id),
    sessionId: textOrNull(row.session_id),
    atMs: time(row.at_ms),
    expiresAtMs: time(row.expires_at_ms),
    kind: String(row.kind) as GrantRecord["kind"],
    body: parseObject(row.body) ?? {},
  };
}

export function toDenial(row: Row): DenialRecord {
  return {
    approvalId: String(row.approval_id),
    sessionId: String(row.session_id),
    atMs: time(row.at_ms),
    proposalHash: String(row.proposal_hash),
    body: parseObject(row.body) ?? {},
  };
}

export function toChat(row: Row): ChatRecord {
  return {
    sessionId: String(row.session_id),
    agent: String(row.agent),
    proposer: String(row.proposer),
    unattended: row.unattended === 1,
  };
}

export function toUsedChat(row: Row): UsedChat {
  return { ...toChat(row), createdAtMs: time(row.created_at_ms), lastAtMs: time(row.last_at_ms) };
}

export function toMessage(row: Row): MessageRecord {
  return {
    sessionId: String(row.session_id),
    seq: Number(row.seq),
    runId: String(row.run_id),
    atMs: time(row.at_ms),
    body: parseObject(row.body) ?? {},
  };
}

export function toSetting(row: Row): Json {
  const value = parse(row.value);
  if (value === undefined) {
    throw new StoreError(
      "CORRUPT",
      `The setting ${row.key} is unreadable. Move the database away and restore a backup.`,
    );
  }
  return value;
}

function time(value: Row[string] | undefined): number {
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

function timeOrNull(value: Row[string] | undefined): number | null {
  return value === null ? null : time(value);
}

function textOrNull(value: Row[string] | undefined): string | null {
  return value === null ? null : String(value);
}

function parseObject(text: Row[string] | undefined): JsonObject | undefined {
  const value = parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** undefined: not JSON. JSON.parse makes `__proto__` a plain member, so no key can reach a prototype. */
function parse(text: Row[string] | undefined): Json | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isTextMap(value: JsonObject): value is { readonly [name: string]: string } {
  return Object.values(value).every((member) => typeof member === "string");
}
