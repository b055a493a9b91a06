import { type HistoryPage, type HistoryRow, type HistoryWish, MAX_HISTORY_PAGE } from "../../contract/index.ts";
import { StoreError } from "../../ledger/index.ts";
import type { Row, Statements } from "../base/index.ts";
import type { Blocks } from "./blocks.ts";
import { readDecided, resultOf } from "./indexed-rows.ts";
import { Matcher } from "./match-block.ts";

/** Looked through at once. Whoever looks further asks for the next page: so no answer takes long, however much there is. */
const MAX_BLOCKS = 4_096;
const MAX_MS = 60;
/** Of a command, what a row shows. */
const SHOWN_CHARS = 1_000;

/** The newest that are looked for. It reads what is committed when it begins. */
export function searchHistory(sql: Statements, blocks: Blocks, wish: HistoryWish): HistoryPage {
  const { limit } = wish;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_HISTORY_PAGE) {
    throw new StoreError("INVALID", `a page's limit is a whole number from 1 to ${MAX_HISTORY_PAGE}, not ${limit}`);
  }
  const matcher = new Matcher(wish);
  const newest = newestPlace(sql);
  const found: number[] = [];
  let next: number | null = null;
  let looked = 0;
  const began = performance.now();
  for (const block of blocks.newestFirst(wish)) {
    if (looked === MAX_BLOCKS || (looked > 0 && performance.now() - began > MAX_MS)) {
      next = block.last + 1;
      break;
    }
    looked += 1;
    found.push(...matcher.placesIn(block));
    if (found.length <= limit) continue;
    found.length = limit;
    next = found.at(-1) ?? null;
    break;
  }
  return { rows: found.flatMap((place) => rowAt(sql, place)), next, newest };
}

export function newestPlace(sql: Statements): number {
  return Number(sql.one("SELECT max(place) AS place FROM history")?.place ?? 0);
}

function rowAt(sql: Statements, place: number): HistoryRow[] {
  const row = sql.one(
    `SELECT h.*, p.key, p.session_id, p.cwd, p.created_at_ms, p.outcome_kind, p.decided,
       substr(p.command, 1, ${SHOWN_CHARS}) AS command, length(p.command) AS command_length,
       coalesce(s.agent_name, '') AS agent_name
     FROM history h JOIN proposal p ON p.key = h.proposal_key LEFT JOIN session s ON s.id = p.session_id
     WHERE h.place = ?`,
    place,
  );
  return row === undefined ? [] : [toRow(row)];
}

function toRow(row: Row): HistoryRow {
  const decided = readDecided(row.decided);
  return {
    place: Number(row.place),
    key: String(row.key),
    sessionId: String(row.session_id),
    agent: decided?.agent ?? String(row.agent_name),
    command: String(row.command),
    commandLength: Number(row.command_length),
    cwd: String(row.cwd),
    repository: decided?.repository ?? null,
    createdAtMs: Number(row.created_at_ms),
    endedAtMs: Number(row.ended_at_ms),
    result: resultOf(row),
    exitCode: row.exit_code === null ? null : Number(row.exit_code),
    reason: row.reason === null ? null : String(row.reason),
    by: decided?.by ?? null,
    person: decided?.person ?? null,
    risk: decided?.risk ?? null,
    asked: decided?.asked ?? false,
  };
}
