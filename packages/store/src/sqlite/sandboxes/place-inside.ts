import type { Row, Statements } from "../base/index.ts";
import { seenIn } from "./place-outside.ts";
import { addSpan } from "./spans.ts";
import { type ToldIn, toldIn } from "./told-in.ts";

const DROPS = "agent_receipts.events_dropped";

/** What of the proxy's record has its place in the story, and from when to when that tells. */
export interface Inside {
  placedSeq: number;
  firstMs: number | null;
  lastMs: number | null;
}

interface Told {
  readonly sandbox: string;
  readonly seq: number;
  readonly type: string;
  readonly told: ToldIn;
}

/**
 * Gives the next receipts of a sandbox's their places in its story, and returns how many it looked at. Whoever reads a story has this done before: a
 * recorder that did it as it writes would write a third less.
 */
export function placeInside(sql: Statements, sandbox: string, limit: number): number {
  const inside = insideIn(sql, sandbox);
  const rows = nextIn(sql, { sandbox, afterSeq: inside.placedSeq, limit });
  for (const row of rows) {
    const receipt = { sandbox, seq: Number(row.seq), atMs: Number(row.at_ms), type: String(row.type) };
    const raw = String(row.raw);
    inside.placedSeq = receipt.seq;
    // What was seen from outside has its place already.
    if (seenIn({ ...receipt, raw }) === null) place(sql, { ...receipt, told: toldIn(raw, receipt.atMs) }, inside);
  }
  if (rows.length > 0) {
    sql.run(
      "INSERT OR REPLACE INTO sandbox_inside (sandbox_id, placed_seq, first_ms, last_ms) VALUES (?, ?, ?, ?)",
      ...[sandbox, inside.placedSeq, inside.firstMs, inside.lastMs],
    );
  }
  return rows.length;
}

/** In the ledger's order: its chains follow one another, since a key that was changed signs no more. */
function nextIn(
  sql: Statements,
  { sandbox, afterSeq, limit }: { readonly sandbox: string; readonly afterSeq: number; readonly limit: number },
): readonly Row[] {
  const last = sql.one("SELECT chain_id, chain_seq FROM receipt WHERE seq = ?", afterSeq);
  const rest = last === undefined ? [] : sql.all(OF_CHAIN, ...[last.chain_id, last.chain_seq].map(value), limit);
  if (rest.length > 0) return rest;
  const next = sql.one(NEXT_CHAIN, sandbox, afterSeq);
  return next === undefined ? [] : sql.all(OF_CHAIN, String(next.chain_id), 0, limit);
}

function value(one: unknown): string | number {
  return typeof one === "string" ? one : Number(one);
}

const OF_CHAIN =
  "SELECT seq, type, at_ms, raw FROM receipt WHERE chain_id = ? AND chain_seq > ? ORDER BY chain_seq LIMIT ?";
const NEXT_CHAIN =
  "SELECT chain_id FROM sandbox_chain WHERE sandbox_id = ? AND first_seq > ? ORDER BY first_seq LIMIT 1";

function place(sql: Statements, step: Told, inside: Inside): void {
  const { sandbox, seq, type, told } = step;
  const { atMs, toldMs, correlator } = told;
  sql.run(
    "INSERT INTO sandbox_step (sandbox_id, at_ms, seq, last_seq, receipts, flow, to_explain) VALUES (?, ?, ?, ?, 1, NULL, 0)",
    ...[sandbox, atMs, seq, seq],
  );
  if (type === DROPS) {
    // Since the last that came. Where none had, nothing says since when.
    const sinceMs = Math.min(inside.lastMs ?? 0, toldMs);
    addSpan(sql, { sandbox, kind: "lost" }, { fromMs: sinceMs, toMs: toldMs, seq, receipts: 1 });
    return;
  }
  inside.firstMs = Math.min(inside.firstMs ?? atMs, atMs);
  inside.lastMs = Math.max(inside.lastMs ?? toldMs, toldMs);
  if (told.runs) addSpan(sql, { sandbox, kind: "busy" }, { fromMs: atMs, toMs: toldMs, seq, receipts: 1 });
  if (correlator === null) return;
  if (type === "system.pty.open" && told.succeeded) open(sql, { sandbox, correlator }, { seq, atMs });
  if (type === "system.pty.close") close(sql, { sandbox, correlator }, toldMs);
}

interface Terminal {
  readonly sandbox: string;
  readonly correlator: string;
}

function open(
  sql: Statements,
  terminal: Terminal,
  { seq, atMs }: { readonly seq: number; readonly atMs: number },
): void {
  // The same name again: whatever the one before was, it is over.
  close(sql, terminal, atMs);
  const opened = "INSERT INTO sandbox_open (sandbox_id, correlation_id, from_ms, seq) VALUES (?, ?, ?, ?)";
  sql.run(opened, terminal.sandbox, terminal.correlator, atMs, seq);
}

function close(sql: Statements, { sandbox, correlator }: Terminal, atMs: number): void {
  const of = "WHERE sandbox_id = ? AND correlation_id = ?";
  const row = sql.one(`SELECT from_ms, seq FROM sandbox_open ${of}`, sandbox, correlator);
  if (row === undefined) return;
  sql.run(`DELETE FROM sandbox_open ${of}`, sandbox, correlator);
  const fromMs = Number(row.from_ms);
  const span = { fromMs, toMs: Math.max(fromMs, atMs), seq: Number(row.seq), receipts: 1 };
  addSpan(sql, { sandbox, kind: "busy" }, span);
}

export function insideIn(sql: Statements, sandbox: string): Inside {
  const row = sql.one("SELECT * FROM sandbox_inside WHERE sandbox_id = ?", sandbox) ?? {};
  const time = (name: string) => (typeof row[name] === "number" ? row[name] : null);
  return { placedSeq: Number(row.placed_seq ?? 0), firstMs: time("first_ms"), lastMs: time("last_ms") };
}
