import type { Statements } from "../base/index.ts";
import { placeInside } from "./place-inside.ts";
import { STORY } from "./schema.ts";

const TABLES = ["sandbox_inside", "sandbox_step", "sandbox_span", "sandbox_open"] as const;
const PLACED_TOGETHER = 10_000;

/**
 * For a connection that only reads: gives a sandbox's receipts their places in tables that nobody else sees, and that it finds before the real ones,
 * for as long as it is open. What is in the real ones already is taken from there.
 */
export class AsidePlacer {
  readonly #sql: Statements;
  readonly #copied = new Set<string>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  place(sandbox: string): void {
    if (this.#copied.size === 0) for (const one of statementsIn(TEMPORARY)) this.#sql.run(one);
    if (!this.#copied.has(sandbox)) {
      this.#copied.add(sandbox);
      for (const table of TABLES)
        this.#sql.run(`INSERT INTO temp.${table} SELECT * FROM main.${table} WHERE sandbox_id = ?`, sandbox);
    }
    while (placeInside(this.#sql, sandbox, PLACED_TOGETHER) > 0);
  }
}

const TEMPORARY = STORY.replaceAll("CREATE TABLE ", "CREATE TEMP TABLE ").replaceAll(
  /INDEX (?=\w+ ON)/g,
  "INDEX temp.",
);

function statementsIn(script: string): readonly string[] {
  return script
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
