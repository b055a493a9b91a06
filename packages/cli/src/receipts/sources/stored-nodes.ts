import type { DatabaseSync } from "node:sqlite";
import type { RecordRow } from "@countersign/receipts";

/** No tree has as many levels. */
const LEVELS = 64;
/** No ledger has as many receipts as 2 to this power: they are counted in whole numbers. */
const HIGHEST = 52;

/** The nodes of the tree as a database of ours keeps them: by the receipt that completed each, and before that by level and index. */
export class StoredNodes {
  readonly #db: DatabaseSync;
  readonly #isById: boolean;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#isById = db.prepare("SELECT 1 FROM pragma_table_info('tree_node') WHERE name = 'id'").get() !== undefined;
  }

  /** A node that is kept. By level and index: looking for it by those columns in a newer database would read every row. */
  at(level: number, index: number): unknown {
    if (!this.#isById) return this.#oneByLevel(level, index);
    return this.#db.prepare("SELECT hash FROM tree_node WHERE id = ?").get(idOf(level, index))?.hash;
  }

  #oneByLevel(level: number, index: number): unknown {
    return this.#db.prepare("SELECT hash FROM tree_node WHERE level = ? AND idx = ?").get(level, index)?.hash;
  }

  /** By the number of each receipt from `first` to `last`: the nodes that it completed, by their height. */
  completedBy(first: number, last: number): Map<number, RecordRow["nodes"]> {
    const found = new Map<number, (Uint8Array | undefined)[]>();
    for (const { seq, level, hash } of this.#isById ? this.#byId(first, last) : this.#byLevel(first, last)) {
      const nodes = found.get(seq) ?? [];
      nodes[level] = hash;
      found.set(seq, nodes);
    }
    return found;
  }

  *#byId(first: number, last: number): Generator<StoredNode> {
    const page = this.#db.prepare("SELECT id, hash FROM tree_node WHERE id >= ? AND id < ?");
    for (const { id, hash } of page.all((first - 1) * LEVELS, last * LEVELS)) {
      const seq = Math.floor(Number(id) / LEVELS) + 1;
      yield { seq, level: Number(id) % LEVELS, hash: hash as Uint8Array };
    }
  }

  *#byLevel(first: number, last: number): Generator<StoredNode> {
    const page = this.#db.prepare("SELECT idx, hash FROM tree_node WHERE level = ? AND idx >= ? AND idx < ?");
    for (let level = 0; level <= HIGHEST && 2 ** level <= last; level += 1) {
      const width = 2 ** level;
      const rows = page.all(level, Math.ceil(first / width) - 1, Math.floor(last / width));
      for (const { idx, hash } of rows) yield { seq: (Number(idx) + 1) * width, level, hash: hash as Uint8Array };
    }
  }

  /** How many belong to none of the first so many receipts. */
  countBeyond(last: number): number {
    const sql = this.#isById
      ? "SELECT (SELECT count(*) FROM tree_node WHERE id < 0) + (SELECT count(*) FROM tree_node WHERE id >= ?) AS stray"
      : `SELECT count(*) AS stray FROM tree_node
          WHERE level NOT BETWEEN 0 AND ${HIGHEST} OR idx < 0 OR ((idx + 1) << level) > ?`;
    return Number(this.#db.prepare(sql).get(this.#isById ? last * LEVELS : last)?.stray);
  }
}

interface StoredNode {
  readonly seq: number;
  readonly level: number;
  readonly hash: Uint8Array;
}

/** By the leaf that completed it, then by its level. */
function idOf(level: number, index: number): number {
  return ((index + 1) * 2 ** level - 1) * LEVELS + level;
}
