import { CanonicalError, canonicalize, type Json } from "@countersign/receipts";
import { StoreError } from "../../ledger/index.ts";

/**
 * JavaScript values → column values. SQLite would quietly change some (a lone surrogate becomes U+FFFD, NaN becomes
 * NULL) and PostgreSQL can't hold NUL, so these are refused: what is approved must be what was proposed.
 */
export function text(value: string): string {
  if (typeof value !== "string") throw new StoreError("INVALID", `text was expected, not ${typeof value}`);
  if (!value.isWellFormed()) throw new StoreError("INVALID", "text holds a lone surrogate");
  if (value.includes("\0")) throw new StoreError("INVALID", "text holds a NUL");
  return value;
}

export function textOrNull(value: string | null): string | null {
  return value === null ? null : text(value);
}

export function ms(value: number): number {
  if (!Number.isSafeInteger(value)) throw new StoreError("INVALID", `${value} is not a time in whole milliseconds`);
  return value;
}

export function msOrNull(value: number | null): number | null {
  return value === null ? null : ms(value);
}

/** The canonical form, because it refuses what JSON.stringify would change or drop. */
export function json(value: Json): string {
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof CanonicalError) throw new StoreError("INVALID", error.message, { cause: error });
    throw error;
  }
}

export function jsonOrNull(value: Json): string | null {
  return value === null ? null : json(value);
}
