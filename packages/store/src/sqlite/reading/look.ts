import type {
  Activity,
  ChainPage,
  ChainRecord,
  FoundReceipts,
  HistoryPage,
  HistoryWish,
  ReceiptPage,
} from "../../contract/index.ts";
import type { Statements } from "../base/index.ts";
import { HistoryReader } from "../history/index.ts";
import { chainsIn, type LookedFor, receiptIn, receiptsIn } from "../ledger/index.ts";

/** What takes longer than others should wait for, as data: it is answered on a thread of its own. */
export type LookOrder =
  | { readonly kind: "search"; readonly wish: HistoryWish }
  | { readonly kind: "activity"; readonly fromMs: number }
  | { readonly kind: "receipts"; readonly page: ReceiptPage }
  | { readonly kind: "receipt"; readonly key: LookedFor; readonly from: number }
  | { readonly kind: "chains"; readonly page: ChainPage };

/** What each is answered with. */
interface Answers {
  readonly search: HistoryPage;
  readonly activity: Activity;
  readonly receipts: FoundReceipts;
  readonly receipt: ReturnType<typeof receiptIn>;
  readonly chains: { readonly chains: readonly ChainRecord[]; readonly next: number | null };
}

export type Looked<Order extends LookOrder = LookOrder> = Answers[Order["kind"]];

/** Answers on the connection that it was given. */
export class Looker {
  readonly #sql: Statements;
  readonly #history: HistoryReader;

  constructor(sql: Statements) {
    this.#sql = sql;
    this.#history = new HistoryReader(sql);
  }

  look(order: LookOrder): Looked {
    switch (order.kind) {
      case "search":
        return this.#history.search(order.wish);
      case "activity":
        return this.#history.activity(order.fromMs);
      case "receipts":
        return receiptsIn(this.#sql, order.page);
      case "receipt":
        return receiptIn(this.#sql, order.key, order.from);
      case "chains":
        return chainsIn(this.#sql, order.page);
    }
  }
}
