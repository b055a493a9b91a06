import type { SandboxPage, SandboxRecord, TerminalRecord } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { outsideIn } from "./place-outside.ts";

/** Terminals that are counted as open; of more it is only said that there are so many. */
const MOST_OPEN = 10_000;

export function sandboxesIn(
  sql: Statements,
  { beforeSeq = Number.MAX_SAFE_INTEGER, limit }: SandboxPage,
): readonly SandboxRecord[] {
  const rows = sql.all("SELECT * FROM sandbox WHERE first_seq < ? ORDER BY first_seq DESC LIMIT ?", beforeSeq, limit);
  return rows.map((row) => sandboxOf(sql, row));
}

export function sandboxIn(sql: Statements, id: string): SandboxRecord | null {
  if (!id.isWellFormed()) return null;
  const row = sql.one("SELECT * FROM sandbox WHERE id = ?", id);
  return row === undefined ? null : sandboxOf(sql, row);
}

/** Of those terminals that the correlators name. */
export function terminalsIn(
  sql: Statements,
  { sandbox, correlators }: { readonly sandbox: string; readonly correlators: readonly string[] },
): ReadonlyMap<string, TerminalRecord> {
  const found = new Map<string, TerminalRecord>();
  for (const correlator of correlators) {
    const row = sql.one(
      "SELECT opened_seq, closed_seq FROM sandbox_terminal WHERE sandbox_id = ? AND correlation_id = ?",
      ...[sandbox, correlator],
    );
    if (row === undefined) continue;
    const closedSeq = row.closed_seq === null ? null : Number(row.closed_seq);
    found.set(correlator, { openedSeq: Number(row.opened_seq), closedSeq });
  }
  return found;
}

function sandboxOf(sql: Statements, row: Row): SandboxRecord {
  const id = String(row.id);
  const actions = sql.all("SELECT type, count FROM sandbox_action WHERE sandbox_id = ? ORDER BY count DESC, type", id);
  const chains = sql.all(CHAINS_OF, id);
  const open = sql.one(OPEN_OF, id)?.open;
  const { repeats, ...outside } = outsideIn(sql, id);
  const receipts = Number(row.receipts);
  return {
    id,
    first: { seq: Number(row.first_seq), atMs: Number(row.first_at_ms) },
    last: { seq: Number(row.last_seq), atMs: Number(row.last_at_ms) },
    receipts,
    steps: receipts - repeats,
    dropped: Math.max(0, Number(row.dropped) - outside.dropped),
    outside,
    openTerminals: Number(open),
    actions: actions.map(({ type, count }) => ({ type: String(type), count: Number(count) })),
    chains: chains.map(({ chain_id, length }) => ({ chainId: String(chain_id), length: Number(length) })),
  };
}

const CHAINS_OF = `
  SELECT chain_id, (SELECT max(chain_seq) FROM receipt WHERE receipt.chain_id = sandbox_chain.chain_id) AS length
    FROM sandbox_chain WHERE sandbox_id = ? ORDER BY first_seq`;

const OPEN_OF = `
  SELECT count(*) AS open FROM (
    SELECT 1 FROM sandbox_terminal WHERE sandbox_id = ? AND closed_seq IS NULL LIMIT ${MOST_OPEN}
  )`;
