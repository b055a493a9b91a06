import type { DatabaseSync } from "node:sqlite";
import { textsIn } from "../../ledger/sealed-bytes.ts";
import { answerOrders } from "../../threads/answer-orders.ts";
import { commitBatch, type Progress } from "./commit-batch.ts";
import { connectToWrite } from "./connect.ts";
import { Statements } from "./statements.ts";
import { translateError } from "./translate-error.ts";
import type { WriteOrder, Written } from "./writing-thread.ts";

let open: { readonly db: DatabaseSync; readonly sql: Statements } | undefined;

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

function connect(path: string): { readonly db: DatabaseSync; readonly sql: Statements } {
  const db = connectToWrite(path);
  return { db, sql: new Statements(db) };
}

function insert(
  writer: NonNullable<typeof open>,
  { placed, sealed }: WriteOrder & { readonly kind: "insert" },
): Written {
  const run = ({ ledger }: Progress) => ({ kept: true, before: ledger.insertSealed(placed, textsIn(sealed)) });
  const [result] = commitBatch({ ...writer, keys: undefined }, [{ run }]).settled;
  if (result === undefined) throw new Error("the batch has no result");
  if ("before" in result) return { kind: "written", before: result.before };
  return { kind: "failed", code: result.error.code, message: result.error.message };
}
