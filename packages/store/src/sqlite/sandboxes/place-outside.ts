import { type RawReceipt, type Statements, textOf } from "../base/index.ts";
import { type ToldIn, toldIn } from "./told-in.ts";

/** Sums of what others claim stay there: one more, and they couldn't be read. */
const MOST = Number.MAX_SAFE_INTEGER;
const DROPS = "agent_receipts.events_dropped";
/** What alone an observer says, besides how much of it was lost. */
const SEEN: ReadonlySet<string> = new Set(["network.egress.observed", "dev.countersign.egress.gap"]);

/** What was seen of a sandbox from the host. */
export interface Outside {
  flows: number;
  blocked: number;
  /** How often nobody looked for a while. */
  gaps: number;
  dropped: number;
  /** Receipts that tell more of a flow which another began to tell. */
  repeats: number;
}

interface Seen {
  readonly sandbox: string;
  readonly seq: number;
  readonly atMs: number;
  readonly type: string;
  readonly raw: RawReceipt;
}

/** What such a receipt says, if it is one of an observer's. Of most types it can be told without reading them. */
export function seenIn({ type, raw, atMs }: Seen): ToldIn | null {
  if (type !== DROPS && !SEEN.has(type)) return null;
  const told = toldIn(textOf(raw), atMs);
  return told.side === "outside" ? told : null;
}

/** Puts what was seen from outside into sandboxes' stories as it is written: its lists tell how much of it there is. */
export class OutsidePlacer {
  readonly #sql: Statements;
  readonly #outside = new Map<string, Outside>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  place(seen: Seen): void {
    const told = seenIn(seen);
    if (told === null) return;
    const { sandbox, seq, type } = seen;
    const outside = this.#outsideOf(sandbox);
    if (told.flow?.isFinal && told.flow.isBlocked) outside.blocked += 1;
    if (this.#isPartOfKnown(seen, told)) {
      outside.repeats += 1;
      return;
    }
    const flow = told.flow === null ? null : told.correlator;
    const toExplain = told.flow !== null && !told.flow.isToRelay ? 1 : 0;
    this.#sql.run(
      "INSERT INTO sandbox_step (sandbox_id, at_ms, seq, last_seq, receipts, flow, to_explain) VALUES (?, ?, ?, ?, 1, ?, ?)",
      ...[sandbox, told.atMs, seq, seq, flow, toExplain],
    );
    if (type === DROPS) outside.dropped = Math.min(outside.dropped + told.dropped, MOST);
    else if (told.flow === null) outside.gaps += 1;
    else outside.flows += 1;
  }

  /** The last, before the commit. */
  write(): void {
    for (const [sandbox, { flows, blocked, gaps, dropped, repeats }] of this.#outside) {
      this.#sql.run(
        "INSERT OR REPLACE INTO sandbox_outside (sandbox_id, flows, blocked, gaps, dropped, repeats) VALUES (?, ?, ?, ?, ?, ?)",
        ...[sandbox, flows, blocked, gaps, dropped, repeats],
      );
    }
  }

  /** A flow is one step, however many receipts tell of it: the first says when it began, the last how it stands. */
  #isPartOfKnown({ sandbox, seq }: Seen, { flow, correlator }: ToldIn): boolean {
    if (flow === null || correlator === null) return false;
    const later = "UPDATE sandbox_step SET last_seq = ?, receipts = receipts + 1 WHERE sandbox_id = ? AND flow = ?";
    return this.#sql.run(later, seq, sandbox, correlator) > 0;
  }

  #outsideOf(sandbox: string): Outside {
    const known = this.#outside.get(sandbox) ?? outsideIn(this.#sql, sandbox);
    this.#outside.set(sandbox, known);
    return known;
  }
}

export function outsideIn(sql: Statements, sandbox: string): Outside {
  const row = sql.one("SELECT * FROM sandbox_outside WHERE sandbox_id = ?", sandbox) ?? {};
  const count = (name: string) => Number(row[name] ?? 0);
  return {
    ...{ flows: count("flows"), blocked: count("blocked"), gaps: count("gaps") },
    ...{ dropped: count("dropped"), repeats: count("repeats") },
  };
}
