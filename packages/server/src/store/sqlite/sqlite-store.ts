import type { DatabaseSync } from "node:sqlite";
import type { Json, TreeHead } from "@countersign/receipts";
import type { StoredReceipt } from "../../ledger/check-ledger.ts";
import type { LedgerDraft, LedgerEntry, LedgerHead, LedgerIdentity } from "../../ledger/entries.ts";
import type { FrameRecord, Recorded } from "../../ledger/frame-record.ts";
import { KeyFiles } from "../../ledger/key-files.ts";
import type { KeysInForce } from "../../ledger/ledger-keys.ts";
import type { LedgerRow } from "../../ledger/ledger-row.ts";
import type { Activity, HistoryPage, HistoryWish } from "../history.ts";
import type {
  AnswerCount,
  ApprovalRecord,
  ChatRecord,
  DenialRecord,
  DeviceRecord,
  EntryUse,
  GrantRecord,
  MessageRecord,
  ProposalRecord,
  SessionRecord,
  TokenRecord,
  UsedChat,
} from "../records.ts";
import {
  type ChainPage,
  type ChainRecord,
  type CheckpointRecord,
  type Commit,
  MAX_PAGE,
  type ReceiptKey,
  type ReceiptPage,
  type SandboxPage,
  type SandboxRecord,
  type Store,
  StoreError,
  type TerminalRecord,
  type Write,
} from "../store.ts";
import { beginningOf, epochOf, treeHeadAt } from "./append-receipts.ts";
import { backUp } from "./back-up.ts";
import type { Progress } from "./commit-batch.ts";
import {
  toAnswerCount,
  toApproval,
  toChat,
  toCheckpoint,
  toDenial,
  toDevice,
  toEntryUse,
  toFoundReceipt,
  toGrant,
  toHead,
  toLedgerEntry,
  toLedgerRow,
  toMessage,
  toProposal,
  toSession,
  toSetting,
  toStoredReceipt,
  toToken,
  toUsedChat,
} from "./decode.ts";
import { FrameLine } from "./frame-line.ts";
import { GroupCommit } from "./group-commit.ts";
import { HistoryReader } from "./history/history-reader.ts";
import { ReadingThread } from "./history/reading-thread.ts";
import { keyLineIn, publicKeysIn, refuseTooManyChanges } from "./keys-on-record.ts";
import type { Mirror } from "./mirror.ts";
import { chainIn, chainsIn } from "./read-chains.ts";
import { sandboxesIn, sandboxIn, terminalsIn } from "./sandbox/read-sandboxes.ts";
import { type Row, Statements } from "./statements.ts";
import { translateError } from "./translate-error.ts";
import { treeNodeIn } from "./tree-node.ts";
import { whereReceipt } from "./where-receipt.ts";
import { WritingThread } from "./writing-thread.ts";

/** Only a real number comes out of the ANY column; the cast keeps an integer past 2^53 from throwing. */
const APPROVAL = `SELECT id, subject, proposal_key, session_id, profile_id, state, delivered_at_ms, payload, resolution,
  CASE WHEN typeof(expires_at_ms) IN ('integer', 'real') THEN CAST(expires_at_ms AS REAL) END AS expires_at_ms
  FROM approval`;

/** Of one name: more than anybody would look through. */
const MAX_NAMED = 10;
/** Directories that one shape was answered about in. */
const MAX_ANSWERED = 1_000;
const MAX_MS = Number.MAX_SAFE_INTEGER;

/** Who puts something on record: the store itself, with its keys; or another process, which it has a mirror of. */
type Writer =
  | { readonly keys: KeysInForce | KeyFiles }
  | { readonly mirror: Mirror; readonly sql: Statements; readonly commits: GroupCommit };

/**
 * node:sqlite is synchronous: reads happen between this connection's transactions, never inside one. What another one writes is seen when it is
 * committed. So all of them see what is durable.
 */
export class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #sql: Statements;
  readonly #keys: KeysInForce | undefined;
  /** The same, where they are kept in files and so can change. */
  readonly #files: KeyFiles | undefined;
  readonly #commits: GroupCommit | undefined;
  readonly #frames: FrameLine | undefined;
  readonly #thread: WritingThread | undefined;
  readonly #mirror: Mirror | undefined;
  /** On a thread where there is a file; a database that is in memory only is seen by nobody else. */
  readonly #reading: ReadingThread | undefined;
  readonly #history: HistoryReader;
  readonly #backups = new Set<Promise<void>>();
  #rotating: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Without a writer it only reads. */
  constructor(db: DatabaseSync, writer?: Writer) {
    this.#db = db;
    const keys = writer && "keys" in writer ? writer.keys : undefined;
    const mirrored = writer && "mirror" in writer ? writer : undefined;
    this.#sql = mirrored?.sql ?? new Statements(db);
    this.#keys = keys;
    this.#files = keys instanceof KeyFiles ? keys : undefined;
    this.#mirror = mirrored?.mirror;
    this.#commits = mirrored?.commits ?? (keys && new GroupCommit({ db, sql: this.#sql, keys }));
    const path = db.location();
    this.#reading = path === null ? undefined : new ReadingThread(path);
    this.#history = new HistoryReader(this.#sql);
    this.#thread = keys && path !== null ? new WritingThread(path) : undefined;
    this.#frames =
      keys && this.#commits && new FrameLine({ sql: this.#sql, keys, commits: this.#commits, thread: this.#thread });
  }

  async commit(writes: readonly Write[]): Promise<Commit> {
    this.#assertOpen();
    if (!this.#commits) throw new StoreError("UNWRITABLE", "The store was opened to read.");
    return await (this.#mirror?.outbox.commit(writes) ?? this.#commits.add(writes));
  }

  /** Not `async`: it would be one promise more for each of thousands in a second. */
  record(frame: FrameRecord): Promise<Recorded> {
    if (this.#closing !== null) return Promise.reject(closed());
    return this.#frames?.add(frame) ?? Promise.reject(new StoreError("UNWRITABLE", "The store was opened to read."));
  }

  rotateKey(draft: Pick<LedgerDraft, "atMs" | "body">): Promise<LedgerEntry> {
    const rotating = this.#rotating.then(() => this.#rotate(draft));
    this.#rotating = rotating.catch(() => undefined);
    return rotating;
  }

  async session(id: string): Promise<SessionRecord | null> {
    return this.#one(toSession, "SELECT * FROM session WHERE id = ?", id);
  }

  async sessions(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly SessionRecord[]> {
    assertLimit(page.limit);
    const { ownerId, limit } = page;
    if (ownerId === undefined)
      return this.#all(toSession, "SELECT * FROM session ORDER BY created_at_ms DESC, id DESC LIMIT ?", limit);
    const sql = "SELECT * FROM session WHERE owner_id = ? ORDER BY created_at_ms DESC, id DESC LIMIT ?";
    return this.#all(toSession, sql, ownerId, limit);
  }

  async chat(sessionId: string): Promise<ChatRecord | null> {
    return this.#one(toChat, "SELECT * FROM chat WHERE session_id = ?", sessionId);
  }

  async chats(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly UsedChat[]> {
    assertLimit(page.limit);
    const sql = `
      SELECT chat.*, created_at_ms, coalesce(
        (SELECT at_ms FROM message WHERE message.session_id = session.id ORDER BY seq DESC LIMIT 1), created_at_ms
      ) AS last_at_ms
      FROM chat JOIN session ON session.id = chat.session_id
      WHERE ?1 IS NULL OR owner_id = ?1
      ORDER BY last_at_ms DESC, session_id DESC LIMIT ?2`;
    return this.#all(toUsedChat, sql, page.ownerId ?? null, page.limit);
  }

  async messages(page: {
    readonly sessionId: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly MessageRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM message WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?";
    return this.#all(toMessage, sql, page.sessionId, page.before ?? MAX_MS, page.limit);
  }

  async tokens(): Promise<readonly TokenRecord[]> {
    return this.#all(toToken, "SELECT * FROM token ORDER BY created_at_ms, id");
  }

  async device(id: string): Promise<DeviceRecord | null> {
    return this.#one(toDevice, "SELECT * FROM device WHERE id = ?", id);
  }

  async devices(): Promise<readonly DeviceRecord[]> {
    return this.#all(toDevice, "SELECT * FROM device ORDER BY created_at_ms, id");
  }

  async proposal(key: string): Promise<ProposalRecord | null> {
    return this.#one(toProposal, "SELECT * FROM proposal WHERE key = ?", key);
  }

  async proposals(keys: readonly string[]): Promise<readonly ProposalRecord[]> {
    this.#assertOpen();
    const found = keys.map((key) => this.#one(toProposal, "SELECT * FROM proposal WHERE key = ?", key));
    return found.filter((proposal) => proposal !== null);
  }

  async proposalOf(ownerId: string, proposalId: string): Promise<ProposalRecord | null> {
    return this.#one(toProposal, "SELECT * FROM proposal WHERE owner_id = ? AND proposal_id = ?", ownerId, proposalId);
  }

  async proposalsNamed(proposalId: string): Promise<readonly ProposalRecord[]> {
    return this.#all(
      toProposal,
      `SELECT * FROM proposal WHERE proposal_id = ? ORDER BY key LIMIT ${MAX_NAMED}`,
      proposalId,
    );
  }

  async openProposals(): Promise<readonly ProposalRecord[]> {
    return this.#all(toProposal, "SELECT * FROM proposal WHERE state <> 'ended' ORDER BY created_at_ms, key");
  }

  async endedProposals(page: {
    readonly sinceMs: number;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ProposalRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM proposal WHERE state = 'ended' AND ended_at_ms >= ? AND key > ? ORDER BY key LIMIT ?";
    return this.#all(toProposal, sql, page.sinceMs, page.after ?? "", page.limit);
  }

  async askedProposals({ limit }: { readonly limit: number }): Promise<readonly ProposalRecord[]> {
    assertLimit(limit);
    const sql = `SELECT * FROM proposal INDEXED BY proposal_asked WHERE state = 'ended' AND approval_id IS NOT NULL
      ORDER BY ended_at_ms DESC LIMIT ?`;
    return this.#all(toProposal, sql, limit);
  }

  async askedCount(sinceMs: number): Promise<number> {
    const sql = `SELECT count(*) AS count FROM proposal INDEXED BY proposal_asked
      WHERE state = 'ended' AND approval_id IS NOT NULL AND ended_at_ms >= ?`;
    return this.#one((row) => Number(row.count), sql, sinceMs) ?? 0;
  }

  async openAskedCount(): Promise<number> {
    const sql = `SELECT count(*) AS count FROM proposal INDEXED BY proposal_open
      WHERE state <> 'ended' AND approval_id IS NOT NULL`;
    return this.#one((row) => Number(row.count), sql) ?? 0;
  }

  async newestEnded(page: {
    readonly sinceMs: number;
    readonly before?: Pick<ProposalRecord, "key"> & { readonly endedAtMs: number };
    readonly limit: number;
  }): Promise<readonly ProposalRecord[]> {
    assertLimit(page.limit);
    const { endedAtMs = Number.MAX_SAFE_INTEGER, key = "" } = page.before ?? {};
    const sql = `SELECT * FROM proposal WHERE state = 'ended' AND ended_at_ms BETWEEN ? AND ? AND (ended_at_ms < ? OR key < ?)
      ORDER BY ended_at_ms DESC, key DESC LIMIT ?`;
    return this.#all(toProposal, sql, page.sinceMs, endedAtMs, endedAtMs, key, page.limit);
  }

  async history(wish: HistoryWish, signal?: AbortSignal): Promise<HistoryPage> {
    this.#assertOpen();
    if (!isWellFormed(wish)) return { rows: [], next: null, newest: 0 };
    return await (this.#reading?.search(wish, signal) ?? this.#ask(() => this.#history.search(wish)));
  }

  async activity(fromMs: number, signal?: AbortSignal): Promise<Activity> {
    this.#assertOpen();
    return await (this.#reading?.activity(fromMs, signal) ?? this.#ask(() => this.#history.activity(fromMs)));
  }

  async approval(id: string): Promise<ApprovalRecord | null> {
    return this.#one(toApproval, `${APPROVAL} WHERE id = ?`, id);
  }

  async pendingApprovals(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]> {
    assertLimit(page.limit);
    const sql = `${APPROVAL} WHERE state = 'pending' AND id > ? ORDER BY id LIMIT ?`;
    return this.#all(toApproval, sql, page.after ?? "", page.limit);
  }

  async expiredApprovals(page: {
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]> {
    assertLimit(page.limit);
    const sql = `${APPROVAL} WHERE state = 'expired' AND expires_at_ms >= ? ORDER BY expires_at_ms DESC LIMIT ?`;
    return this.#all(toApproval, sql, page.sinceMs, page.limit);
  }

  async ledger(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerEntry[]> {
    assertLimit(page.limit);
    return this.#all(
      toLedgerEntry,
      "SELECT * FROM receipt INDEXED BY receipt_of_hub WHERE emitter IS NULL AND seq > ? ORDER BY seq LIMIT ?",
      page.afterSeq,
      page.limit,
    );
  }

  async receipts(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly StoredReceipt[]> {
    assertLimit(page.limit);
    const sql = "SELECT seq, raw FROM receipt WHERE seq > ? ORDER BY seq LIMIT ?";
    return this.#all(toStoredReceipt, sql, page.afterSeq, page.limit);
  }

  async ledgerRows(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerRow[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM receipt WHERE seq > ? ORDER BY seq LIMIT ?";
    return this.#all(toLedgerRow, sql, page.afterSeq, page.limit);
  }

  async findReceipts(page: ReceiptPage): Promise<readonly (StoredReceipt & LedgerHead)[]> {
    assertLimit(page.limit);
    // One text for all: whatever isn't asked for holds for every row.
    const sql = `SELECT seq, hash, raw FROM receipt WHERE seq > ?1 AND (?2 IS NULL OR session_id = ?2)
      AND (?3 IS NULL OR type = ?3) AND at_ms >= ?4 AND at_ms < ?5 ORDER BY seq LIMIT ?6`;
    const { afterSeq, sessionId = null, type = null, fromMs = -MAX_MS, toMs = MAX_MS, limit } = page;
    return this.#all(toFoundReceipt, sql, afterSeq, sessionId, type, fromMs, toMs, limit);
  }

  async receiptBy(key: ReceiptKey): Promise<(StoredReceipt & LedgerHead) | null> {
    const [where, ...values] = whereReceipt(key);
    return this.#one(toFoundReceipt, `SELECT seq, hash, raw FROM receipt WHERE ${where} LIMIT 1`, ...values);
  }

  async chains(page: ChainPage): Promise<{ readonly chains: readonly ChainRecord[]; readonly next: number | null }> {
    assertLimit(page.limit);
    this.#assertOpen();
    return this.#ask(() => chainsIn(this.#sql, page));
  }

  async chain(id: string): Promise<ChainRecord | null> {
    this.#assertOpen();
    return this.#ask(() => chainIn(this.#sql, id));
  }

  async receiptsOfChain(page: {
    readonly chainId: string;
    readonly afterSequence: number;
    readonly limit: number;
  }): Promise<readonly (StoredReceipt & LedgerHead)[]> {
    assertLimit(page.limit);
    const sql = "SELECT seq, hash, raw FROM receipt WHERE chain_id = ? AND chain_seq > ? ORDER BY chain_seq LIMIT ?";
    return this.#all(toFoundReceipt, sql, page.chainId, page.afterSequence, page.limit);
  }

  async sandboxes(page: SandboxPage): Promise<readonly SandboxRecord[]> {
    assertLimit(page.limit);
    this.#assertOpen();
    return this.#ask(() => sandboxesIn(this.#sql, page));
  }

  async sandbox(id: string): Promise<SandboxRecord | null> {
    this.#assertOpen();
    return this.#ask(() => sandboxIn(this.#sql, id));
  }

  async terminals(of: {
    readonly sandbox: string;
    readonly correlators: readonly string[];
  }): Promise<ReadonlyMap<string, TerminalRecord>> {
    this.#assertOpen();
    return this.#ask(() => terminalsIn(this.#sql, of));
  }

  async checkpoints(page: {
    readonly before?: number | undefined;
    readonly limit: number;
  }): Promise<readonly CheckpointRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT size, note, at_ms FROM checkpoint WHERE size < ? ORDER BY size DESC LIMIT ?";
    return this.#all(toCheckpoint, sql, page.before ?? MAX_MS, page.limit);
  }

  async receiptsOf(proposalKey: string): Promise<readonly (StoredReceipt & LedgerHead)[]> {
    return this.#all(
      toFoundReceipt,
      "SELECT seq, hash, raw FROM receipt WHERE proposal_key = ? ORDER BY seq",
      proposalKey,
    );
  }

  async ledgerHead(): Promise<LedgerHead | null> {
    return this.#one(toHead, "SELECT seq, hash FROM receipt ORDER BY seq DESC LIMIT 1");
  }

  async ledgerOf(proposalKey: string): Promise<readonly LedgerEntry[]> {
    return this.#all(toLedgerEntry, "SELECT * FROM receipt WHERE proposal_key = ? ORDER BY seq", proposalKey);
  }

  async treeHead(size?: number): Promise<TreeHead | null> {
    const all = (await this.ledgerHead())?.seq ?? 0;
    return this.#ask(() => (size === undefined || size <= all ? treeHeadAt(this.#sql, size ?? all) : null));
  }

  async treeNode(level: number, index: number): Promise<Uint8Array> {
    this.#assertOpen();
    return this.#ask(() => treeNodeIn(this.#sql, level, index));
  }

  async newestCheckpoint(): Promise<{ readonly size: number; readonly note: string } | null> {
    return this.#one(toCheckpoint, "SELECT size, note, at_ms FROM checkpoint ORDER BY size DESC LIMIT 1");
  }

  async checkpointOf(size: number): Promise<string | null> {
    return this.#one((row) => String(row.note), "SELECT note FROM checkpoint WHERE size = ?", size);
  }

  async keyLine(): Promise<readonly string[]> {
    this.#assertOpen();
    return this.#ask(() => keyLineIn(this.#sql));
  }

  async ledgerKeys(): Promise<readonly Uint8Array[]> {
    const onRecord = this.#ask(() => publicKeysIn(this.#sql));
    const own = this.#mirror?.publicKey ?? this.#keys?.current.signer.publicKey;
    return onRecord.length === 0 && own ? [own] : onRecord;
  }

  async nextLedgerKey(): Promise<Uint8Array | null> {
    return this.#files?.next() ?? null;
  }

  async ledgerIdentity(): Promise<LedgerIdentity | null> {
    return this.#ask(() => {
      const origin = beginningOf(this.#sql);
      return origin === undefined ? null : { installation: origin.installation, epoch: epochOf(this.#sql) };
    });
  }

  get isMirror(): boolean {
    return this.#mirror !== undefined;
  }

  get forgotten(): number {
    return this.#mirror?.forgotten ?? 0;
  }

  unrecordable(): StoreError | undefined {
    return this.#mirror?.outbox.problem;
  }

  onAppend(listener: () => void): void {
    this.#commits?.onAppend(listener);
  }

  async setting(key: string): Promise<Json | undefined> {
    const found = this.#one((row) => ({ value: toSetting(row) }), "SELECT key, value FROM setting WHERE key = ?", key);
    return found?.value;
  }

  async settingKeys(page: { readonly prefix: string; readonly limit: number }): Promise<readonly string[]> {
    assertLimit(page.limit);
    const sql = "SELECT key FROM setting WHERE key >= ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT ?";
    return this.#all(({ key }) => String(key), sql, page.prefix, page.prefix, page.prefix, page.limit);
  }

  async entryUses(profileId: string): Promise<readonly EntryUse[]> {
    return this.#all(toEntryUse, "SELECT * FROM entry_use WHERE profile_id = ? ORDER BY entry_id", profileId);
  }

  async answerCounts(profileId: string, shape: string): Promise<readonly AnswerCount[]> {
    const sql = `SELECT * FROM answer_count WHERE profile_id = ? AND shape = ?
      ORDER BY last_at_ms DESC, directory LIMIT ${MAX_ANSWERED}`;
    return this.#all(toAnswerCount, sql, profileId, shape);
  }

  async grants(): Promise<readonly GrantRecord[]> {
    return this.#all(toGrant, "SELECT * FROM answer_grant ORDER BY at_ms, id");
  }

  async denials(): Promise<readonly DenialRecord[]> {
    return this.#all(toDenial, "SELECT * FROM denial ORDER BY at_ms, approval_id");
  }

  async denialCounts(): Promise<ReadonlyMap<string, number>> {
    return new Map(
      this.#all((row) => [String(row.session_id), Number(row.count)] as const, "SELECT * FROM denial_count"),
    );
  }

  async outcomeCounts(sinceMs: number): Promise<Readonly<Record<string, number>>> {
    const sql = `SELECT coalesce(outcome_kind, 'unknown') AS kind, count(*) AS count FROM proposal
      WHERE state = 'ended' AND ended_at_ms >= ? GROUP BY 1`;
    return Object.fromEntries(this.#all((row) => [String(row.kind), Number(row.count)], sql, sinceMs));
  }

  async backup(path: string): Promise<void> {
    this.#assertOpen();
    const backup = backUp(this.#db, path);
    this.#backups.add(backup);
    try {
      await backup;
    } finally {
      this.#backups.delete(backup);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nothing is signed on other threads while the key changes: it would come too late. */
  async #rotate(draft: Pick<LedgerDraft, "atMs" | "body">): Promise<LedgerEntry> {
    this.#assertOpen();
    if (this.#mirror) return await this.#mirror.rotate(draft.body);
    const [commits, files] = [this.#commits, this.#files];
    if (!commits || !this.#frames || !files) throw new StoreError("UNWRITABLE", "The store was opened to read.");
    this.#ask(() => refuseTooManyChanges(this.#sql, draft.atMs));
    const next = await files.prepare();
    const change = { apply: ({ ledger }: Progress) => ledger.rotate(next, draft), keeps: () => true };
    const entry = await this.#frames.whileQuiet(() => commits.do(change));
    await files.settle();
    return entry;
  }

  async #close(): Promise<void> {
    await this.#rotating;
    await this.#frames?.settle();
    await this.#thread?.close();
    await this.#reading?.close();
    this.#mirror?.outbox.close();
    this.#commits?.drain();
    await Promise.allSettled(this.#backups);
    this.#db.close();
  }

  #one<T>(decode: (row: Row) => T, sql: string, ...values: readonly (string | number | Uint8Array | null)[]): T | null {
    return this.#all(decode, sql, ...values)[0] ?? null;
  }

  #all<T>(
    decode: (row: Row) => T,
    sql: string,
    ...values: readonly (string | number | Uint8Array | null)[]
  ): readonly T[] {
    this.#assertOpen();
    // SQLite would look for U+FFFD instead, and find what somebody else has put there.
    if (values.some((value) => typeof value === "string" && !value.isWellFormed())) return [];
    return this.#ask(() => this.#sql.all(sql, ...values).map(decode));
  }

  #ask<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw translateError(error, "The database can't be read");
    }
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw closed();
  }
}

/** SQLite would look for U+FFFD instead. */
function isWellFormed({ words = [], directory = "" }: HistoryWish): boolean {
  return [...words, directory].every((text) => text.isWellFormed());
}

function closed(): StoreError {
  return new StoreError("CLOSED", "The store was closed.");
}

function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return;
  throw new StoreError("INVALID", `a page's limit is a whole number from 1 to ${MAX_PAGE}, not ${limit}`);
}
