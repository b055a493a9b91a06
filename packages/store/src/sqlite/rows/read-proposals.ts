import type { ApprovalRecord, ProposalRecord } from "../../contract/index.ts";
import { toApproval, toProposal } from "./decode.ts";
import { PeopleReader } from "./read-people.ts";
import { assertLimit } from "./reader.ts";

/** Only a real number comes out of the ANY column; the cast keeps an integer past 2^53 from throwing. */
const APPROVAL = `id, subject, proposal_key, session_id, profile_id, state, delivered_at_ms, payload, resolution,
  CASE WHEN typeof(expires_at_ms) IN ('integer', 'real') THEN CAST(expires_at_ms AS REAL) END AS expires_at_ms
  FROM approval`;

const NEXT_KIND = "SELECT min(outcome_kind) AS kind FROM proposal WHERE state = 'ended' AND outcome_kind > ?";
const OF_KIND = `SELECT count(*) AS count FROM proposal
  WHERE state = 'ended' AND outcome_kind = ? AND ended_at_ms >= ?`;
const WITHOUT_KIND = `SELECT count(*) AS count FROM proposal
  WHERE state = 'ended' AND outcome_kind IS NULL AND ended_at_ms >= ?`;

/** Of one name: more than anybody would look through. */
const MAX_NAMED = 10;

/** What was proposed and asked, and how it ended. */
export abstract class ProposalReader extends PeopleReader {
  async proposal(key: string): Promise<ProposalRecord | null> {
    return this.one(toProposal, "SELECT * FROM proposal WHERE key = ?", key);
  }

  async proposals(keys: readonly string[]): Promise<readonly ProposalRecord[]> {
    this.assertOpen();
    const found = keys.map((key) => this.one(toProposal, "SELECT * FROM proposal WHERE key = ?", key));
    return found.filter((proposal) => proposal !== null);
  }

  async proposalOf(ownerId: string, proposalId: string): Promise<ProposalRecord | null> {
    return this.one(toProposal, "SELECT * FROM proposal WHERE owner_id = ? AND proposal_id = ?", ownerId, proposalId);
  }

  async proposalsNamed(proposalId: string): Promise<readonly ProposalRecord[]> {
    return this.all(
      toProposal,
      `SELECT * FROM proposal WHERE proposal_id = ? ORDER BY key LIMIT ${MAX_NAMED}`,
      proposalId,
    );
  }

  async openProposals(): Promise<readonly ProposalRecord[]> {
    return this.all(toProposal, "SELECT * FROM proposal WHERE state <> 'ended' ORDER BY created_at_ms, key");
  }

  async endedProposals(page: {
    readonly sinceMs: number;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ProposalRecord[]> {
    assertLimit(page.limit);
    const sql = "SELECT * FROM proposal WHERE state = 'ended' AND ended_at_ms >= ? AND key > ? ORDER BY key LIMIT ?";
    return this.all(toProposal, sql, page.sinceMs, page.after ?? "", page.limit);
  }

  async askedProposals({ limit }: { readonly limit: number }): Promise<readonly ProposalRecord[]> {
    assertLimit(limit);
    const sql = `SELECT * FROM proposal INDEXED BY proposal_asked WHERE state = 'ended' AND approval_id IS NOT NULL
      ORDER BY ended_at_ms DESC LIMIT ?`;
    return this.all(toProposal, sql, limit);
  }

  async askedCount(sinceMs: number): Promise<number> {
    const sql = `SELECT count(*) AS count FROM proposal INDEXED BY proposal_asked
      WHERE state = 'ended' AND approval_id IS NOT NULL AND ended_at_ms >= ?`;
    return this.one((row) => Number(row.count), sql, sinceMs) ?? 0;
  }

  async openAskedCount(): Promise<number> {
    const sql = `SELECT count(*) AS count FROM proposal INDEXED BY proposal_open
      WHERE state <> 'ended' AND approval_id IS NOT NULL`;
    return this.one((row) => Number(row.count), sql) ?? 0;
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
    return this.all(toProposal, sql, page.sinceMs, endedAtMs, endedAtMs, key, page.limit);
  }

  async approval(id: string): Promise<ApprovalRecord | null> {
    return this.one(toApproval, `SELECT ${APPROVAL} WHERE id = ?`, id);
  }

  async pendingApprovals(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]> {
    assertLimit(page.limit);
    const sql = `SELECT ${APPROVAL} WHERE state = 'pending' AND id > ? ORDER BY id LIMIT ?`;
    return this.all(toApproval, sql, page.after ?? "", page.limit);
  }

  async expiredApprovals(page: {
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]> {
    assertLimit(page.limit);
    const sql = `SELECT ${APPROVAL} WHERE state = 'expired' AND approval.expires_at_ms >= ? ORDER BY approval.expires_at_ms DESC LIMIT ?`;
    return this.all(toApproval, sql, page.sinceMs, page.limit);
  }

  async outcomeCounts(sinceMs: number): Promise<Readonly<Record<string, number>>> {
    const count = (sql: string, ...values: (string | number)[]) =>
      this.one((row) => Number(row.count), sql, ...values) ?? 0;
    const counts: [string, number][] = [["unknown", count(WITHOUT_KIND, sinceMs)]];
    // From kind to kind: there are few, and each is counted in the index.
    for (let kind: string | null = ""; ; ) {
      kind = this.one((row) => (row.kind === null ? null : String(row.kind)), NEXT_KIND, kind);
      if (kind === null) return Object.fromEntries(counts.filter(([, ended]) => ended > 0));
      counts.push([kind, count(OF_KIND, kind, sinceMs)]);
    }
  }
}
