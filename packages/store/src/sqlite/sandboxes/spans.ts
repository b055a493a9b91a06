import type { Row, Statements } from "../base/index.ts";

/** `busy`: something that may send ran; `lost`: frames of the proxy's never came. */
type SpanKind = "busy" | "lost";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  /** The first receipt that it is of, and of how many it is. */
  readonly seq: number;
  readonly receipts: number;
}

interface SpansOf {
  readonly sandbox: string;
  readonly kind: SpanKind;
}

/**
 * Those that touch become one, so that no two of a sandbox's do: whether any holds a time is then one look, however many calls there were and
 * however long they took.
 */
export function addSpan(sql: Statements, { sandbox, kind }: SpansOf, added: Span): void {
  let { fromMs, toMs, seq, receipts } = added;
  for (let next = lastBefore(sql, { sandbox, kind }, toMs); next !== null && next.toMs >= fromMs; ) {
    sql.run("DELETE FROM sandbox_span WHERE sandbox_id = ? AND kind = ? AND from_ms = ?", sandbox, kind, next.fromMs);
    [fromMs, toMs] = [Math.min(fromMs, next.fromMs), Math.max(toMs, next.toMs)];
    [seq, receipts] = [Math.min(seq, next.seq), receipts + next.receipts];
    next = lastBefore(sql, { sandbox, kind }, toMs);
  }
  const values = [sandbox, kind, fromMs, toMs, seq, receipts];
  sql.run(
    "INSERT INTO sandbox_span (sandbox_id, kind, from_ms, to_ms, seq, receipts) VALUES (?, ?, ?, ?, ?, ?)",
    ...values,
  );
}

/** The one that holds the time, or misses it by no more than the slack. */
export function spanAt(
  sql: Statements,
  of: SpansOf,
  { atMs, slackMs }: { atMs: number; slackMs: number },
): Span | null {
  const last = lastBefore(sql, of, atMs + slackMs);
  return last !== null && last.toMs >= atMs - slackMs ? last : null;
}

function lastBefore(sql: Statements, { sandbox, kind }: SpansOf, ms: number): Span | null {
  const row = sql.one(
    `SELECT from_ms, to_ms, seq, receipts FROM sandbox_span
      WHERE sandbox_id = ? AND kind = ? AND from_ms <= ? ORDER BY from_ms DESC LIMIT 1`,
    ...[sandbox, kind, ms],
  );
  return row === undefined ? null : spanOf(row);
}

function spanOf({ from_ms, to_ms, seq, receipts }: Row): Span {
  return { fromMs: Number(from_ms), toMs: Number(to_ms), seq: Number(seq), receipts: Number(receipts) };
}
