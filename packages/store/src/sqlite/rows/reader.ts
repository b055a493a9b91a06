import { MAX_PAGE } from "../../contract/index.ts";
import { StoreError } from "../../ledger/index.ts";
import { type Row, type Statements, translateError } from "../base/index.ts";

export const MAX_MS = Number.MAX_SAFE_INTEGER;

type Value = string | number | Uint8Array | null;

/**
 * node:sqlite is synchronous: reads happen between this connection's transactions, never inside one. What another one writes is seen when it is
 * committed. So all of them see what is durable.
 */
export abstract class Reader {
  protected readonly sql: Statements;

  constructor(sql: Statements) {
    this.sql = sql;
  }

  protected abstract get isClosed(): boolean;

  protected one<T>(decode: (row: Row) => T, sql: string, ...values: readonly Value[]): T | null {
    return this.all(decode, sql, ...values)[0] ?? null;
  }

  protected all<T>(decode: (row: Row) => T, sql: string, ...values: readonly Value[]): readonly T[] {
    this.assertOpen();
    // SQLite would look for U+FFFD instead, and find what somebody else has put there.
    if (values.some((value) => typeof value === "string" && !value.isWellFormed())) return [];
    return this.ask(() => this.sql.all(sql, ...values).map(decode));
  }

  protected ask<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw translateError(error, "The database can't be read");
    }
  }

  protected assertOpen(): void {
    if (this.isClosed) throw closed();
  }
}

export function closed(): StoreError {
  return new StoreError("CLOSED", "The store was closed.");
}

export function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return;
  throw new StoreError("INVALID", `a page's limit is a whole number from 1 to ${MAX_PAGE}, not ${limit}`);
}
