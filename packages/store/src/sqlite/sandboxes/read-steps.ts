import { EXPLAIN_SLACK_MS, type Explanation, type StepRecord } from "../../contract/index.ts";
import type { Statements } from "../base/index.ts";
import { insideIn } from "./place-inside.ts";
import { spanAt } from "./spans.ts";

/** Flows that are looked at for a count; of more, the newest. */
const MOST_FLOWS = 5_000;

/** In the order in which things began, and where that is the same, in which they were recorded. */
export function stepsIn(
  sql: Statements,
  { sandbox, after, limit }: { readonly sandbox: string; readonly after: number; readonly limit: number },
): readonly StepRecord[] {
  const rows = sql.all(STEPS, sandbox, limit, after);
  return rows.map(({ at_ms, seq, last_seq, receipts }) => ({
    ...{ atMs: Number(at_ms), firstSeq: Number(seq), seq: Number(last_seq), receipts: Number(receipts) },
  }));
}

interface Moment {
  readonly sandbox: string;
  readonly atMs: number;
}

/** What of the proxy's record was under way at a time; or why there is nothing, as far as that can be told. */
export function explanationIn(sql: Statements, moment: Moment): Explanation {
  return underWay(sql, moment) ?? { kind: "none", reason: whyNothing(sql, moment) };
}

function underWay(sql: Statements, { sandbox, atMs }: Moment): Explanation | null {
  const busy = spanAt(sql, { sandbox, kind: "busy" }, { atMs, slackMs: EXPLAIN_SLACK_MS });
  if (busy !== null) return { kind: "call", seq: busy.seq, receipts: busy.receipts };
  const open = sql.one(OPENED_FIRST, sandbox);
  const wasOpen = open !== undefined && Number(open.from_ms) <= atMs + EXPLAIN_SLACK_MS;
  return wasOpen ? { kind: "terminal", seq: Number(open.seq) } : null;
}

function whyNothing(sql: Statements, { sandbox, atMs }: Moment): (Explanation & { kind: "none" })["reason"] {
  const around = { atMs, slackMs: EXPLAIN_SLACK_MS };
  if (spanAt(sql, { sandbox, kind: "lost" }, around) !== null) return "lost";
  const { firstMs, lastMs } = insideIn(sql, sandbox);
  if (firstMs === null || lastMs === null) return "nothing-inside";
  if (atMs < firstMs) return "before-first";
  return atMs > lastMs ? "after-last" : "between";
}

/** How many of its newest 5,000 flows nothing explains, but for those to the relay. */
export function unexplainedIn(sql: Statements, sandbox: string): number {
  const flows = sql.all(NEWEST_FLOWS, sandbox, MOST_FLOWS);
  return flows.filter(({ at_ms }) => underWay(sql, { sandbox, atMs: Number(at_ms) }) === null).length;
}

const STEPS = `SELECT at_ms, seq, last_seq, receipts FROM sandbox_step
  WHERE sandbox_id = ? ORDER BY at_ms, seq LIMIT ? OFFSET ?`;
const OPENED_FIRST = "SELECT from_ms, seq FROM sandbox_open WHERE sandbox_id = ? ORDER BY from_ms LIMIT 1";
const NEWEST_FLOWS = `SELECT at_ms FROM sandbox_step
  WHERE sandbox_id = ? AND to_explain = 1 ORDER BY at_ms DESC LIMIT ?`;
