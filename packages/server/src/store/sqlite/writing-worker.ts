import { textsIn } from "../../ledger/sealed-bytes.ts";
import { answerOrders } from "../../threads/answer-orders.ts";
import { commitBatch, type Progress, type Writer } from "./commit-batch.ts";
import { connectToWrite } from "./connect.ts";
import { placedIn } from "./receipt-row.ts";
import { Statements } from "./statements.ts";
import { translateError } from "./translate-error.ts";
import type { WriteOrder, Written } from "./writing-thread.ts";

let open: Writer | undefined;

answerOrders(write);

function write(order: WriteOrder): Written {
  if (order.kind === "close") {
    open?.db.close();
    open = undefined;
    return { kind: "closed" };
  }
  try {
    open ??= connect(order.path);
  } catch (error) {
    const { code, message } = translateError(error, "The database can't be opened");
    return { kind: "failed", code, message };
  }
  return insert(open, order);
}

function connect(path: string): Writer {
  const db = connectToWrite(path);
  return { db, sql: new Statements(db), keys: undefined, edge: {} };
}

function insert(writer: Writer, { placed, sealed }: WriteOrder & { readonly kind: "insert" }): Written {
  const run = ({ ledger }: Progress) => ({
    kept: true,
    before: ledger.insertSealed(placedIn(placed), textsIn(sealed)),
  });
  const [result] = commitBatch(writer, [{ run }]).settled;
  if (result === undefined) throw new Error("the batch has no result");
  if ("before" in result) return { kind: "written", before: result.before };
  return { kind: "failed", code: result.error.code, message: result.error.message };
}
