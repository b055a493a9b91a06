import type { ChainEnd, ChainPage, ChainRecord } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { toFoundReceipt } from "../rows/index.ts";

/** Of those that a text is looked for in, at once: whoever wants to look further asks again. */
const LOOKED_THROUGH = 10_000;

/**
 * No LIKE: what is looked for may hold its wildcards. The first 49 characters are the installation, `countersign:<uuid>:`, which all of them
 * have in common.
 */
const BEGUN = `
  SELECT begun.seq, begun.chain_id, begun.session_id, agent_name FROM (
    SELECT seq, chain_id, session_id FROM receipt INDEXED BY receipt_begins
      WHERE chain_seq = 1 AND seq < ?1 ORDER BY seq DESC LIMIT ${LOOKED_THROUGH}
  ) AS begun LEFT JOIN session ON session.id = begun.session_id
  WHERE ?2 = '' OR begun.chain_id = ?2 OR instr(lower(substr(begun.chain_id, 50)), ?2) > 0 OR instr(lower(agent_name), ?2) > 0
  ORDER BY begun.seq DESC LIMIT ?3`;

const LAST_LOOKED_AT = `
  SELECT seq FROM receipt INDEXED BY receipt_begins
    WHERE chain_seq = 1 AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ${LOOKED_THROUGH - 1}`;

/** Each is found by where it begins and where it ends, whatever is between. */
export function chainsIn(
  sql: Statements,
  { beforeSeq = Number.MAX_SAFE_INTEGER, limit, text = "" }: ChainPage,
): { readonly chains: readonly ChainRecord[]; readonly next: number | null } {
  const rows = sql.all(BEGUN, beforeSeq, text.toWellFormed().toLowerCase(), limit);
  const chains = rows.map((row) => chainOf(sql, row));
  const goesOn = rows.length === limit ? rows.at(-1) : sql.one(LAST_LOOKED_AT, beforeSeq);
  return { chains, next: goesOn === undefined ? null : Number(goesOn.seq) };
}

export function chainIn(sql: Statements, id: string): ChainRecord | null {
  if (!id.isWellFormed()) return null;
  const row = sql.one(
    `SELECT seq, chain_id, session_id, agent_name FROM receipt LEFT JOIN session ON session.id = session_id
      WHERE chain_id = ? AND chain_seq = 1`,
    id,
  );
  return row === undefined ? null : chainOf(sql, row);
}

function chainOf(sql: Statements, row: Row): ChainRecord {
  const chainId = String(row.chain_id);
  const end = (order: "ASC" | "DESC") =>
    sql.one(
      `SELECT seq, hash, raw, chain_seq, at_ms, emitter FROM receipt WHERE chain_id = ? ORDER BY chain_seq ${order} LIMIT 1`,
      chainId,
    ) as Row;
  const [first, last] = [end("ASC"), end("DESC")];
  return {
    chainId,
    sessionId: row.session_id === null ? null : String(row.session_id),
    agentName: row.agent_name === null ? null : String(row.agent_name),
    emitter: first.emitter === null ? null : String(first.emitter),
    first: toEnd(first),
    last: toEnd(last),
  };
}

function toEnd(row: Row): ChainEnd {
  return { ...toFoundReceipt(row), sequence: Number(row.chain_seq), atMs: Number(row.at_ms) };
}
