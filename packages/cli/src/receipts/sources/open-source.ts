import { closeSync, openSync, readSync, statSync } from "node:fs";
import { looksLikeBundle } from "@countersign/receipts";
import { BundleSource } from "./bundle-source.ts";
import { ForeignSource, findReceipts } from "./foreign-source.ts";
import { JsonlSource } from "./jsonl-source.ts";
import type { Source } from "./source.ts";
import { hasTable, openDatabase, SqliteSource } from "./sqlite-source.ts";
import { unreadable } from "./unreadable.ts";

const SQLITE_MAGIC = "SQLite format 3\0";
const PEEKED_BYTES = 256;

/** What a file is, by what it holds and not by its name. */
export function openSource(path: string): Source {
  const start = peek(path);
  if (start.startsWith(SQLITE_MAGIC)) return openSqlite(path);
  return looksLikeBundle(start) ? new BundleSource(path) : new JsonlSource(path);
}

function openSqlite(path: string): Source {
  const db = openDatabase(path);
  try {
    if (hasTable(path, db, "receipt") && hasTable(path, db, "tree_node")) return new SqliteSource(path, db);
    const place = findReceipts(path, db);
    if (place !== null) return new ForeignSource(path, db, place);
    throw unreadable(`${path} is a database without receipts that we can find.`);
  } catch (cause) {
    db.close();
    throw cause;
  }
}

function peek(path: string): string {
  try {
    if (!statSync(path).isFile()) throw unreadable(`${path} isn't a file.`);
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(PEEKED_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes, 0, PEEKED_BYTES, 0));
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && "syscall" in cause)) throw cause;
    const why = cause.code === "ENOENT" ? "There's no file" : "This can't be read:";
    throw unreadable(`${why} ${path}.`, cause);
  }
}
