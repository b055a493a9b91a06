import type { LedgerHead } from "../../ledger/entries.ts";
import type { FrameRecord } from "../../ledger/frame-record.ts";
import { firstUnder } from "./append-receipts.ts";
import { text } from "./encode.ts";
import type { Statements } from "./statements.ts";

/** Emitters whose newest keys are remembered; past it they are read again. */
const MAX_EMITTERS = 10_000;

const NEWEST = `SELECT idempotency_key AS key FROM receipt WHERE emitter = ? AND idempotency_key IS NOT NULL
  ORDER BY idempotency_key DESC LIMIT 1`;

/**
 * Looks up what emitters' keys stand for. Keys mostly grow with time, as UUIDs of version 7 do: one that sorts after all that its emitter has used
 * is new, and needs no look. It holds as long as every frame of the emitters comes through here before it is written.
 */
export class KnownKeys {
  readonly #sql: Statements;
  /** By emitter: at least the greatest of its keys, in the order of their bytes, which is the index's. */
  readonly #greatest = new Map<string, Buffer>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** The receipt that this emitter's key stands for already; undefined: it is new, and taken by this frame. */
  firstUnder(frame: FrameRecord): LedgerHead | undefined {
    const { emitter, idempotencyKey } = frame;
    if (idempotencyKey === null) return undefined;
    const key = Buffer.from(text(idempotencyKey));
    if (Buffer.compare(key, this.#greatestOf(emitter)) <= 0) return firstUnder(this.#sql, frame);
    this.#greatest.set(emitter, key);
    return undefined;
  }

  #greatestOf(emitter: string): Buffer {
    const known = this.#greatest.get(emitter);
    if (known) return known;
    const greatest = Buffer.from(String(this.#sql.one(NEWEST, text(emitter))?.key ?? ""));
    if (this.#greatest.size >= MAX_EMITTERS) this.#greatest.clear();
    this.#greatest.set(emitter, greatest);
    return greatest;
  }
}
