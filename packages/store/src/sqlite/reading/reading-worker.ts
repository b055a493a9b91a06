import type { DatabaseSync } from "node:sqlite";
import { answerOrders } from "@countersign/core/worker";
import { connectToRead, Statements, translateError } from "../base/index.ts";
import { Looker } from "./look.ts";
import type { ReadAnswer, ReadOrder } from "./reading-thread.ts";

let open: { readonly db: DatabaseSync; readonly looker: Looker } | undefined;

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
    const { code, message } = translateError(error, "The database can't be read");
    return { kind: "failed", code, message };
  }
}

/** One transaction: what is written meanwhile isn't seen in half of an answer. */
function answer({ db, looker }: NonNullable<typeof open>, { order }: ReadOrder & { kind: "look" }): ReadAnswer {
  db.exec("BEGIN");
  try {
    return { kind: "looked", looked: looker.look(order) };
  } finally {
    db.exec("ROLLBACK");
  }
}

function connect(path: string): NonNullable<typeof open> {
  const db = connectToRead(path);
  return { db, looker: new Looker(new Statements(db)) };
}
