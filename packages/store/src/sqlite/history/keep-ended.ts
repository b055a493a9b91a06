import type { ProposalRecord } from "../../contract/index.ts";
import type { Statements } from "../base/index.ts";
import { buildBlocks, ROWS_IN_BLOCK } from "./build-blocks.ts";

/** Of a reason; the receipt has all of it. */
const MAX_REASON = 300;

/**
 * Puts a proposal that has ended behind those that ended before it. Its row holds redacted text by now, and nothing of it changes
 * any more: so neither does what is kept here, and a block never holds what was taken out of a row.
 */
export function keepEnded(sql: Statements, key: string, outcome: ProposalRecord["outcome"]): void {
  const { exitCode, reason } = outcome ?? {};
  sql.run(
    `INSERT INTO history (proposal_key, ended_at_ms, exit_code, reason)
     SELECT key, coalesce(ended_at_ms, created_at_ms), ?, ? FROM proposal WHERE key = ?`,
    Number.isInteger(exitCode) ? Number(exitCode) : null,
    typeof reason === "string" ? readable(reason) : null,
    key,
  );
  const place = Number(sql.one("SELECT last_insert_rowid() AS place")?.place);
  if (place % ROWS_IN_BLOCK === 0) buildBlocks(sql);
}

/** Cut where it may be in the middle of a character; and JSON may hold what text can't. */
function readable(reason: string): string {
  return reason.slice(0, MAX_REASON).toWellFormed().replaceAll("\0", "\ufffd");
}
