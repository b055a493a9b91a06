import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Rows that one statement inserts: each statement costs as much as one or two rows. */
const TOGETHER = 8;

/** Rows into one table, one at a time or several. */
export interface Insertion {
  readonly one: string;
  readonly several: string;
}

/** `into`: the table and its columns; `row`: their values. */
export function insertInto(into: string, row: string): Insertion {
  const insert = (rows: number) => `INSERT INTO ${into} VALUES ${Array.from({ length: rows }, () => row).join(", ")}`;
  return { one: insert(1), several: insert(TOGETHER) };
}

/** Prepared statements by their text, which is always one of a fixed set: never put a value into it. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** How many rows changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  insert({ one, several }: Insertion, rows: readonly (readonly SQLInputValue[])[]): void {
    let at = 0;
    for (; at + TOGETHER <= rows.length; at += TOGETHER) this.run(several, ...rows.slice(at, at + TOGETHER).flat());
    for (; at < rows.length; at += 1) this.run(one, ...(rows[at] ?? []));
  }

  one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  /** As `all`, one after the other. */
  each(sql: string, ...values: readonly SQLInputValue[]): Iterable<Row> {
    // Not one that is shared: it would begin anew where somebody else uses it meanwhile.
    return this.#db.prepare(sql).iterate(...values);
  }

  #statement(sql: string): ReturnType<DatabaseSync["prepare"]> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
