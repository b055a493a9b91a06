import { digestOf, leafHash } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { FoundReceipt, FoundReceipts, ReceiptPage } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { toFoundReceipt } from "../rows/index.ts";
import { RECEIPTS_IN_SPAN } from "./receipt-spans.ts";

/** Rows that a page looks at, matching or not: a few milliseconds. */
const LOOKED_AT = 10_000;
/** Spans that a page with times looks at: four million receipts. */
const SPANS_LOOKED_AT = 4_096;

const OF_SESSION = `SELECT seq, type, at_ms FROM receipt
  WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
const OF_TYPE = "SELECT seq, type, at_ms FROM receipt WHERE type = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?";
const OF_ALL = "SELECT seq, type, at_ms FROM receipt WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?";
const ONE = "SELECT seq, hash, raw FROM receipt WHERE seq = ?";
const SPANS = `SELECT first FROM receipt_span
  WHERE first > ? AND first <= ? AND from_ms < ? AND to_ms >= ? ORDER BY first`;
const LAST_SPAN = "SELECT max(first) AS first FROM receipt_span";

interface Stretch {
  readonly after: number;
  readonly upTo: number;
}

/**
 * Returns a page of receipts in the order of the ledger. An index leads to those of a session or of a type, and spans lead to those of a time; what else is
 * asked for is looked for among these. A page looks at a bounded number of rows, so it may be short and still have a `next`.
 */
export function receiptsIn(sql: Statements, page: ReceiptPage): FoundReceipts {
  const { limit, type, fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = page;
  const matches = (row: Row) =>
    (type === undefined || row.type === type) && Number(row.at_ms) >= fromMs && Number(row.at_ms) < toMs;
  const { stretches, next } = stretchesOf(sql, page);
  const receipts: FoundReceipt[] = [];
  let looked = 0;
  for (const stretch of stretches) {
    for (const row of candidates(sql, page, { ...stretch, limit: LOOKED_AT - looked })) {
      looked += 1;
      const seq = Number(row.seq);
      if (matches(row)) receipts.push(toFoundReceipt(sql.one(ONE, seq) as Row));
      if (receipts.length === limit || looked === LOOKED_AT) return { receipts, next: seq };
    }
  }
  return { receipts, next };
}

function candidates(
  sql: Statements,
  { sessionId, type }: ReceiptPage,
  { after, upTo, limit }: Stretch & { readonly limit: number },
): Iterable<Row> {
  if (sessionId !== undefined) return sql.each(OF_SESSION, sessionId, after, upTo, limit);
  if (type !== undefined) return sql.each(OF_TYPE, type, after, upTo, limit);
  return sql.each(OF_ALL, after, upTo, limit);
}

/** Where receipts of the wanted time can be: in spans that touch it, and behind the last span. Everywhere, where no time is asked for. */
function stretchesOf(
  sql: Statements,
  { afterSeq, fromMs, toMs }: ReceiptPage,
): { readonly stretches: readonly Stretch[]; readonly next: number | null } {
  const end = Number.MAX_SAFE_INTEGER;
  if (fromMs === undefined && toMs === undefined) return { stretches: [{ after: afterSeq, upTo: end }], next: null };
  const horizon = afterSeq + RECEIPTS_IN_SPAN * SPANS_LOOKED_AT;
  const [from, to] = [fromMs ?? -end, toMs ?? end];
  const spans = sql.all(SPANS, afterSeq - RECEIPTS_IN_SPAN, Math.min(horizon, end), to, from);
  const stretches: Stretch[] = [];
  for (const row of spans) {
    const [after, upTo] = [Number(row.first) - 1, Number(row.first) - 1 + RECEIPTS_IN_SPAN];
    const last = stretches.at(-1);
    if (last?.upTo === after) stretches[stretches.length - 1] = { after: last.after, upTo };
    else stretches.push({ after: Math.max(after, afterSeq), upTo });
  }
  const last = Number(sql.one(LAST_SPAN)?.first ?? 1 - RECEIPTS_IN_SPAN) - 1 + RECEIPTS_IN_SPAN;
  if (horizon < last) return { stretches, next: horizon };
  return { stretches: [...stretches, { after: Math.max(last, afterSeq), upTo: end }], next: null };
}

/** What a receipt is looked for by where no index leads to it. */
export type LookedFor = { readonly hash: string } | { readonly id: string };

/** Leaves looked at in one step. */
const LEAVES_LOOKED_AT = 100_000;
/** An id's own time and the receipt's come from two clocks a moment apart; one may have been put back. First near, then far. */
const SLACK_MS = [10_000, 3_600_000] as const;

const LEAF = `SELECT idx + 1 AS seq FROM tree_node
  WHERE id >= ? AND id < ? AND level = 0 AND hash = ? ORDER BY id DESC LIMIT 1`;
const NEWEST = "SELECT max(seq) AS seq FROM receipt";
const BY_ID = `SELECT seq, hash, raw FROM receipt
  WHERE at_ms BETWEEN ? AND ? AND instr(raw, ?) > 0 ORDER BY at_ms LIMIT 1`;

/** One step of looking for a receipt; `next`: where the next step goes on. Steps are bounded, so that others are answered in between. */
export function receiptIn(
  sql: Statements,
  key: LookedFor,
  from = 0,
): { readonly found: FoundReceipt | null; readonly next: number | null } {
  return "hash" in key ? byHash(sql, key.hash, from) : byId(sql, key.id, from);
}

/** By its leaf, the newest first. An index by hash is written at another page for each receipt, which cost more than all the rest of writing it. */
function byHash(sql: Statements, hash: string, from: number): ReturnType<typeof receiptIn> {
  const digest = digestOf(hash);
  if (digest === null) return { found: null, next: null };
  const end = Number(sql.one(NEWEST)?.seq ?? 0) - from;
  const begin = Math.max(0, end - LEAVES_LOOKED_AT);
  // A leaf's node is numbered by its index, with six bits for the level behind.
  const row = sql.one(LEAF, begin * 64, end * 64, leafHash(digest, nodeCrypto()));
  if (row) return { found: toFoundReceipt(sql.one(ONE, Number(row.seq)) as Row), next: null };
  return { found: null, next: begin === 0 ? null : from + LEAVES_LOOKED_AT };
}

/** Ids aren't indexed, but ours begin with the time: only receipts of about then are looked at. */
function byId(sql: Statements, id: string, from: number): ReturnType<typeof receiptIn> {
  const [atMs, slackMs = 0] = [timeIn(id), SLACK_MS[from]];
  const row = sql.one(BY_ID, atMs - slackMs, atMs + slackMs, `"id":${JSON.stringify(id)}`);
  if (row) return { found: toFoundReceipt(row), next: null };
  return { found: null, next: from + 1 < SLACK_MS.length ? from + 1 : null };
}

/** The first 48 bits of a UUIDv7 are the milliseconds since 1970 (RFC 9562 5.7). */
function timeIn(id: string): number {
  const [, high, low] = /^urn:receipt:([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return Number.parseInt(`${high ?? 0}${low ?? 0}`, 16);
}
