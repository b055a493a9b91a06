import type { Activity, HistoryPage, HistoryWish } from "../../contract/index.ts";
import type { Statements } from "../base/index.ts";
import { Blocks } from "./blocks.ts";
import { ActivityCount } from "./count-activity.ts";
import { searchHistory } from "./search.ts";

/** Spans that are counted on: today's, for those who are in other time zones or look at yesterday. */
const MAX_SPANS = 8;

/** Answers about what has ended, from a connection of its own or the store's. */
export class HistoryReader {
  readonly #sql: Statements;
  readonly #blocks: Blocks;
  readonly #counts: ActivityCount[] = [];

  constructor(sql: Statements) {
    this.#sql = sql;
    this.#blocks = new Blocks(sql);
  }

  search(wish: HistoryWish): HistoryPage {
    return searchHistory(this.#sql, this.#blocks, wish);
  }

  activity(fromMs: number): Activity {
    const known = this.#counts.find((count) => count.fromMs === fromMs);
    const count = known ?? new ActivityCount(this.#sql, fromMs);
    if (known === undefined) {
      this.#counts.push(count);
      if (this.#counts.length > MAX_SPANS) this.#counts.shift();
    }
    return count.tell(this.#sql);
  }
}
