import { sign } from "node:crypto";
import { answerOrders } from "@countersign/core/worker";
import { Sealer } from "@countersign/receipts";
import { connectToWrite, Statements, translateError } from "../base/index.ts";
import { commitBatch, type Progress, type Writer } from "../commit/index.ts";
import { type Sealed, sealShared } from "./seal-shared.ts";
import type { WriteOrder, Written } from "./write-order.ts";

type Order = WriteOrder & { readonly kind: "write" };

let open: Writer | undefined;
/** To write a key's name takes longer than to sign. */
let known: { readonly publicKey: Uint8Array; readonly sealer: Sealer } | undefined;
/** The generation of the last that failed. */
let failed: number | undefined;

answerOrders(answer);

function answer(order: WriteOrder): Written {
  if (order.kind === "close") return close();
  // Also of one that isn't written: it isn't told again.
  learnKey(order);
  if (order.generation === failed) return { kind: "loose" };
  const written = write(order);
  if (written.kind === "failed") failed = order.generation;
  return written;
}

function write(order: Order): Written {
  try {
    const sealed = sealShared(order, sealerOf(order));
    open ??= connect(order.path);
    return insert(open, sealed);
  } catch (error) {
    return told(error, "The frames can't be written");
  }
}

function close(): Written {
  try {
    open?.db.close();
    open = undefined;
    return { kind: "closed" };
  } catch (error) {
    return told(error, "The database can't be closed");
  }
}

function told(error: unknown, what: string): Written {
  const { code, message } = translateError(error, what);
  return { kind: "failed", code, message };
}

function learnKey({ key, publicKey }: Order): void {
  if (key === undefined) return;
  known = { publicKey, sealer: new Sealer({ publicKey, sign: (message) => sign(null, message, key) }) };
}

function sealerOf({ publicKey }: Order): Sealer {
  if (known === undefined || Buffer.compare(known.publicKey, publicKey) !== 0)
    throw new Error("the key that is to sign isn't here");
  return known.sealer;
}

function connect(path: string): Writer {
  const db = connectToWrite(path);
  return { db, sql: new Statements(db), keys: undefined, edge: {} };
}

function insert(writer: Writer, sealed: Sealed): Written {
  const run = ({ ledger }: Progress) => ({ kept: true, before: ledger.insertSealed(sealed.placed, sealed.raws) });
  const [result] = commitBatch(writer, [{ run }]).settled;
  if (result === undefined) throw new Error("the batch has no result");
  if ("before" in result) return { kind: "written", before: result.before };
  return { kind: "failed", code: result.error.code, message: result.error.message };
}
