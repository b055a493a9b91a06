import type { FrameRecord, LedgerHead } from "../../ledger/index.ts";
import { type Statements, text } from "../base/index.ts";
import { firstUnder } from "../ledger/index.ts";

/** Emitters whose newest keys are remembered; past it they are read again. */
const MAX_EMITTERS = 10_000;

const NEWEST = `SELECT idempotency_key AS key FROM receipt WHERE emitter = ? AND idempotency_key IS NOT NULL
  ORDER BY idempotency_key DESC LIMIT 1`;

/** Up to here a text's units and its bytes sort alike. */
const SORTS_OTHERWISE = /[\ud800-\uffff]/;
/** After every key. */
const NONE_IS_AFTER = "\uffff";

/**
 * Looks up what emitters' keys stand for. Keys mostly grow with time, as UUIDs of version 7 do: one that sorts after all that its emitter has used
 * is new, and needs no look. It holds as long as every frame of the emitters comes through here before it is written.
 */
export class KnownKeys {
  readonly #sql: Statements;
  /** By emitter: at least the greatest of its keys that sort as the index does, whose order is that of their bytes. */
  readonly #greatest = new Map<string, string>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** The receipt that this emitter's key stands for already; undefined: it is new, and taken by this frame. */
  firstUnder(frame: FrameRecord): LedgerHead | undefined {
    const { emitter, idempotencyKey } = frame;
    if (idempotencyKey === null) return undefined;
    const key = text(idempotencyKey);
    if (SORTS_OTHERWISE.test(key) || key <= this.#greatestOf(emitter)) return firstUnder(this.#sql, frame);
    this.#greatest.set(emitter, key);
    return undefined;
  }

  #greatestOf(emitter: string): string {
    const known = this.#greatest.get(emitter);
    if (known !== undefined) return known;
    const newest = String(this.#sql.one(NEWEST, text(emitter))?.key ?? "");
    const greatest = SORTS_OTHERWISE.test(newest) ? NONE_IS_AFTER : newest;
    if (this.#greatest.size >= MAX_EMITTERS) this.#greatest.clear();
    this.#greatest.set(emitter, greatest);
    return greatest;
  }
}
