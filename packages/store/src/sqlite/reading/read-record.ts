import type { TreeHead } from "@countersign/receipts";
import type {
  ChainPage,
  ChainRecord,
  CheckpointRecord,
  Explanation,
  FoundReceipt,
  FoundReceipts,
  ReceiptPage,
  SandboxPage,
  SandboxRecord,
  StepRecord,
  TerminalRecord,
} from "../../contract/index.ts";
import type {
  LedgerEntry,
  LedgerHead,
  LedgerIdentity,
  LedgerRow,
  ReceiptKey,
  StoredReceipt,
} from "../../ledger/index.ts";
import { beginningOf, chainIn, epochOf, keyLineIn, treeHeadAt, treeNodeIn } from "../ledger/index.ts";
import {
  assertLimit,
  MAX_MS,
  ProposalReader,
  toCheckpoint,
  toFoundReceipt,
  toHead,
  toLedgerEntry,
  toLedgerRow,
  toStoredReceipt,
} from "../rows/index.ts";
import { explanationIn, sandboxesIn, sandboxIn, stepsIn, terminalsIn, unexplainedIn } from "../sandboxes/index.ts";
import type { Looked, LookOrder } from "./look.ts";

/** What is on record. */
export abstract class RecordReader extends ProposalReader {
  /** Before a sandbox's story is read: what was told from inside since it was read last gets its place there. */
  protected abstract placeSteps(sandbox: string): Promise<void>;

  /** Answers what takes a while: on a thread of its own, where there is one. */
  protected abstract look<Order extends LookOrder>(order: Order): Promise<Looked<Order>>;

  async ledger(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerEntry[]> {
    assertLimit(page.limit);
    return this.all(
      toLedgerEntry,
      "SELECT * FROM receipt INDEXED BY receipt_of_hub WHERE emitter IS NULL AND seq > ? ORDER BY seq LIMIT ?",
      page.afterSeq,
      page.limit,
    );
  }

  async receipts(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly StoredReceipt[]> {
    assertLimit(page.limit);
    const sql = "SELECT seq, raw FROM receipt WHERE seq > ? ORDER BY seq LIMIT ?";
    return this.all(toStoredReceipt, sql, page.afterSeq, page.limit);
  }

  async ledgerRows(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerRow[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM receipt WHERE seq > ? ORDER BY seq LIMIT ?";
    return this.all(toLedgerRow, sql, page.afterSeq, page.limit);
  }

  async findReceipts(page: ReceiptPage): Promise<FoundReceipts> {
    assertLimit(page.limit);
    const { sessionId = "", type = "" } = page;
    if (!sessionId.isWellFormed() || !type.isWellFormed()) return { receipts: [], next: null };
    return await this.look({ kind: "receipts", page });
  }

  async receiptBy(key: ReceiptKey): Promise<FoundReceipt | null> {
    if ("seq" in key) return this.one(toFoundReceipt, "SELECT seq, hash, raw FROM receipt WHERE seq = ?", key.seq);
    if ("chainId" in key) {
      const sql = "SELECT seq, hash, raw FROM receipt WHERE chain_id = ? AND chain_seq = ?";
      return this.one(toFoundReceipt, sql, key.chainId, key.sequence);
    }
    if ("id" in key && !key.id.isWellFormed()) return null;
    for (let from = 0; ; ) {
      const { found, next } = await this.look({ kind: "receipt", key, from });
      if (found !== null || next === null) return found;
      from = next;
    }
  }

  async chains(page: ChainPage): Promise<{ readonly chains: readonly ChainRecord[]; readonly next: number | null }> {
    assertLimit(page.limit);
    this.assertOpen();
    return await this.look({ kind: "chains", page });
  }

  async chain(id: string): Promise<ChainRecord | null> {
    this.assertOpen();
    return this.ask(() => chainIn(this.sql, id));
  }

  async receiptsOfChain(page: {
    readonly chainId: string;
    readonly afterSequence: number;
    readonly limit: number;
  }): Promise<readonly (StoredReceipt & LedgerHead)[]> {
    assertLimit(page.limit);
    const sql = "SELECT seq, hash, raw FROM receipt WHERE chain_id = ? AND chain_seq > ? ORDER BY chain_seq LIMIT ?";
    return this.all(toFoundReceipt, sql, page.chainId, page.afterSequence, page.limit);
  }

  async sandboxes(page: SandboxPage): Promise<readonly SandboxRecord[]> {
    assertLimit(page.limit);
    this.assertOpen();
    return this.ask(() => sandboxesIn(this.sql, page));
  }

  async sandbox(id: string): Promise<SandboxRecord | null> {
    this.assertOpen();
    return this.ask(() => sandboxIn(this.sql, id));
  }

  async sandboxSteps(page: {
    readonly sandbox: string;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly StepRecord[]> {
    assertLimit(page.limit);
    await this.placeSteps(page.sandbox);
    return this.ask(() => stepsIn(this.sql, page));
  }

  async explanations({
    sandbox,
    momentsMs,
  }: {
    readonly sandbox: string;
    readonly momentsMs: readonly number[];
  }): Promise<readonly Explanation[]> {
    await this.placeSteps(sandbox);
    return this.ask(() => momentsMs.map((atMs) => explanationIn(this.sql, { sandbox, atMs })));
  }

  async unexplainedFlows(sandbox: string): Promise<number> {
    await this.placeSteps(sandbox);
    return this.ask(() => unexplainedIn(this.sql, sandbox));
  }

  async terminals(of: {
    readonly sandbox: string;
    readonly correlators: readonly string[];
  }): Promise<ReadonlyMap<string, TerminalRecord>> {
    this.assertOpen();
    return this.ask(() => terminalsIn(this.sql, of));
  }

  async checkpoints(page: {
    readonly before?: number | undefined;
    readonly limit: number;
  }): Promise<readonly CheckpointRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT size, note, at_ms FROM checkpoint WHERE size < ? ORDER BY size DESC LIMIT ?";
    return this.all(toCheckpoint, sql, page.before ?? MAX_MS, page.limit);
  }

  async receiptsOf(proposalKey: string): Promise<readonly (StoredReceipt & LedgerHead)[]> {
    return this.all(
      toFoundReceipt,
      "SELECT seq, hash, raw FROM receipt WHERE proposal_key = ? ORDER BY seq",
      proposalKey,
    );
  }

  async ledgerHead(): Promise<LedgerHead | null> {
    return this.one(toHead, "SELECT seq, hash FROM receipt ORDER BY seq DESC LIMIT 1");
  }

  async ledgerOf(proposalKey: string): Promise<readonly LedgerEntry[]> {
    return this.all(toLedgerEntry, "SELECT * FROM receipt WHERE proposal_key = ? ORDER BY seq", proposalKey);
  }

  async treeHead(size?: number): Promise<TreeHead | null> {
    const all = (await this.ledgerHead())?.seq ?? 0;
    return this.ask(() => (size === undefined || size <= all ? treeHeadAt(this.sql, size ?? all) : null));
  }

  async treeNode(level: number, index: number): Promise<Uint8Array> {
    this.assertOpen();
    return this.ask(() => treeNodeIn(this.sql, level, index));
  }

  async newestCheckpoint(): Promise<{ readonly size: number; readonly note: string } | null> {
    return this.one(toCheckpoint, "SELECT size, note, at_ms FROM checkpoint ORDER BY size DESC LIMIT 1");
  }

  async checkpointOf(size: number): Promise<string | null> {
    return this.one((row) => String(row.note), "SELECT note FROM checkpoint WHERE size = ?", size);
  }

  async keyLine(): Promise<readonly string[]> {
    this.assertOpen();
    return this.ask(() => keyLineIn(this.sql));
  }

  async ledgerIdentity(): Promise<LedgerIdentity | null> {
    return this.ask(() => {
      const origin = beginningOf(this.sql);
      return origin === undefined ? null : { installation: origin.installation, epoch: epochOf(this.sql) };
    });
  }
}
