import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const ONE_BY_ONE = 2_000;

/** The least that SQLite takes for such rows: one table without an index, every commit waits for the disk. */
export class RawRows {
  readonly #directory = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  readonly #db = new DatabaseSync(join(this.#directory, "raw.db"));
  readonly #samples: readonly Uint8Array[];
  readonly #insert: ReturnType<DatabaseSync["prepare"]>;

  constructor(samples: readonly Uint8Array[]) {
    this.#samples = samples;
    this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE raw (bytes BLOB NOT NULL)");
    this.#insert = this.#db.prepare("INSERT INTO raw VALUES (?)");
  }

  /** So many in a transaction. */
  write(count: number, together: number): void {
    for (let from = 0; from < count; from += together) {
      this.#db.exec("BEGIN");
      for (let at = from; at < Math.min(from + together, count); at += 1)
        this.#insert.run(this.#samples[at % this.#samples.length] as Uint8Array);
      this.#db.exec("COMMIT");
    }
  }

  rateOneByOne(): number {
    const started = performance.now();
    this.write(ONE_BY_ONE, 1);
    return Math.round((ONE_BY_ONE / (performance.now() - started)) * 1_000);
  }

  close(): void {
    this.#db.close();
    rmSync(this.#directory, { recursive: true });
  }
}
