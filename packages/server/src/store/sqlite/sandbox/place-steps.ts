import type { Statements } from "../statements.ts";
import { addSpan } from "./spans.ts";
import type { ToldIn } from "./told-in.ts";

export interface PlacedStep {
  readonly sandbox: string;
  readonly seq: number;
  readonly type: string;
  readonly told: ToldIn;
}

/** What is known of a sandbox from both of its sides. */
interface Sides {
  steps: number;
  flows: number;
  blocked: number;
  gaps: number;
  droppedOutside: number;
  firstInsideMs: number | null;
  lastInsideMs: number | null;
}

/** Sums of what others claim stay there: one more, and they couldn't be read. */
const MOST = Number.MAX_SAFE_INTEGER;
const DROPS = "agent_receipts.events_dropped";

/** Puts receipts in their places in sandboxes' stories, in the order in which they are written. */
export class StepPlacer {
  readonly #sql: Statements;
  readonly #sides = new Map<string, Sides>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  place(step: PlacedStep): void {
    const sides = this.#sidesOf(step.sandbox);
    if (this.#isPartOfKnown(step)) {
      if (isBlockedAtLast(step)) sides.blocked += 1;
      return;
    }
    const { sandbox, seq, type, told } = step;
    const flow = told.flow === null ? null : told.correlator;
    const toExplain = told.flow !== null && !told.flow.isToRelay ? 1 : 0;
    this.#sql.run(
      "INSERT INTO sandbox_step (sandbox_id, at_ms, seq, last_seq, receipts, flow, to_explain) VALUES (?, ?, ?, ?, 1, ?, ?)",
      ...[sandbox, told.atMs, seq, seq, flow, toExplain],
    );
    sides.steps += 1;
    if (told.side === "inside") this.#noteInside(step, sides);
    else if (type === DROPS) sides.droppedOutside = Math.min(sides.droppedOutside + told.dropped, MOST);
    else if (told.flow === null) sides.gaps += 1;
    else sides.flows += 1;
    if (isBlockedAtLast(step)) sides.blocked += 1;
  }

  /** The last, before the commit. */
  write(): void {
    for (const [sandbox, { steps, flows, blocked, gaps, droppedOutside, firstInsideMs, lastInsideMs }] of this.#sides) {
      this.#sql.run(
        `INSERT OR REPLACE INTO sandbox_sides
          (sandbox_id, steps, flows, blocked, gaps, dropped_outside, first_inside_ms, last_inside_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[sandbox, steps, flows, blocked, gaps, droppedOutside, firstInsideMs, lastInsideMs],
      );
    }
  }

  /** A flow is one step, however many receipts tell of it: the first says when it began, the last how it stands. */
  #isPartOfKnown({ sandbox, seq, told: { flow, correlator } }: PlacedStep): boolean {
    if (flow === null || correlator === null) return false;
    const later = "UPDATE sandbox_step SET last_seq = ?, receipts = receipts + 1 WHERE sandbox_id = ? AND flow = ?";
    return this.#sql.run(later, seq, sandbox, correlator) > 0;
  }

  #noteInside({ sandbox, seq, type, told }: PlacedStep, sides: Sides): void {
    const { atMs, toldMs } = told;
    if (type === DROPS) {
      // Since the last that came. Where none had, nothing says since when.
      const sinceMs = Math.min(sides.lastInsideMs ?? 0, toldMs);
      addSpan(this.#sql, { sandbox, kind: "lost" }, { fromMs: sinceMs, toMs: toldMs, seq, receipts: 1 });
      return;
    }
    sides.firstInsideMs = Math.min(sides.firstInsideMs ?? atMs, atMs);
    sides.lastInsideMs = Math.max(sides.lastInsideMs ?? toldMs, toldMs);
    if (told.runs) addSpan(this.#sql, { sandbox, kind: "busy" }, { fromMs: atMs, toMs: toldMs, seq, receipts: 1 });
    if (told.correlator === null) return;
    if (type === "system.pty.open" && told.succeeded) this.#open(sandbox, told.correlator, { seq, atMs });
    if (type === "system.pty.close") this.#close(sandbox, told.correlator, toldMs);
  }

  #open(sandbox: string, correlator: string, { seq, atMs }: { readonly seq: number; readonly atMs: number }): void {
    // The same name again: whatever the one before was, it is over.
    this.#close(sandbox, correlator, atMs);
    const open = "INSERT INTO sandbox_open (sandbox_id, correlation_id, from_ms, seq) VALUES (?, ?, ?, ?)";
    this.#sql.run(open, sandbox, correlator, atMs, seq);
  }

  #close(sandbox: string, correlator: string, atMs: number): void {
    const of = "WHERE sandbox_id = ? AND correlation_id = ?";
    const row = this.#sql.one(`SELECT from_ms, seq FROM sandbox_open ${of}`, sandbox, correlator);
    if (row === undefined) return;
    this.#sql.run(`DELETE FROM sandbox_open ${of}`, sandbox, correlator);
    const fromMs = Number(row.from_ms);
    const span = { fromMs, toMs: Math.max(fromMs, atMs), seq: Number(row.seq), receipts: 1 };
    addSpan(this.#sql, { sandbox, kind: "busy" }, span);
  }

  #sidesOf(sandbox: string): Sides {
    const known = this.#sides.get(sandbox) ?? sidesIn(this.#sql, sandbox);
    this.#sides.set(sandbox, known);
    return known;
  }
}

function isBlockedAtLast({ told: { flow } }: PlacedStep): boolean {
  return flow?.isFinal === true && flow.isBlocked;
}

export function sidesIn(sql: Statements, sandbox: string): Sides {
  const row = sql.one("SELECT * FROM sandbox_sides WHERE sandbox_id = ?", sandbox) ?? {};
  const count = (name: string) => Number(row[name] ?? 0);
  const time = (name: string) => (typeof row[name] === "number" ? row[name] : null);
  return {
    ...{ steps: count("steps"), flows: count("flows"), blocked: count("blocked"), gaps: count("gaps") },
    droppedOutside: count("dropped_outside"),
    ...{ firstInsideMs: time("first_inside_ms"), lastInsideMs: time("last_inside_ms") },
  };
}
