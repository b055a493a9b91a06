import type { DatabaseSync } from "node:sqlite";
import { answerOrders } from "../../../threads/answer-orders.ts";
import { connectToRead } from "../connect.ts";
import { Statements } from "../statements.ts";
import { translateError } from "../translate-error.ts";
import { HistoryReader } from "./history-reader.ts";
import type { ReadAnswer, ReadOrder } from "./reading-thread.ts";

let open: { readonly db: DatabaseSync; readonly reader: HistoryReader } | undefined;

answerOrders(read);

function read(order: ReadOrder): ReadAnswer {
  if (order.kind === "close") {
    open?.db.close();
    open = undefined;
    return { kind: "closed" };
  }
  try {
    open ??= connect(order.path);
    return answer(open, order);
  } catch (error) {
    const { code, message } = translateError(error, "The history can't be read");
    return { kind: "failed", code, message };
  }
}

/** One transaction: what is written meanwhile isn't seen in half of an answer. */
function answer({ db, reader }: NonNullable<typeof open>, order: Exclude<ReadOrder, { kind: "close" }>): ReadAnswer {
  db.exec("BEGIN");
  try {
    return order.kind === "search"
      ? { kind: "page", page: reader.search(order.wish) }
      : { kind: "activity", activity: reader.activity(order.fromMs) };
  } finally {
    db.exec("ROLLBACK");
  }
}

function connect(path: string): NonNullable<typeof open> {
  const db = connectToRead(path);
  return { db, reader: new HistoryReader(new Statements(db)) };
}
