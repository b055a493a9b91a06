import { HubError } from "@countersign/core/errors";
import type { ListReceiptsParams, listReceiptsResultSchema, ReceiptView } from "@countersign/protocol/records";
import type * as z from "zod";
import type { Store } from "../contract/index.ts";
import { type LedgerHead, receiptKey, type StoredReceipt } from "../ledger/index.ts";

type Receipts = Pick<Store, "findReceipts" | "receiptBy">;

/** A page of the ledger, as those see it who may see everything. */
export async function listReceipts(
  store: Receipts,
  { after, limit, session, type, fromMs, toMs }: ListReceiptsParams,
): Promise<z.infer<typeof listReceiptsResultSchema>> {
  const page = { afterSeq: after, limit, sessionId: session, type, fromMs, toMs };
  const { receipts, next } = await store.findReceipts(page);
  return { receipts: receipts.map(viewReceipt), ...(next === null ? {} : { next }) };
}

/** By its hash, its number in the ledger or its own id. */
export async function getReceipt(store: Receipts, id: string): Promise<ReceiptView> {
  const key = receiptKey(id);
  const found = key && (await store.receiptBy(key));
  if (!found) throw new HubError("NOT_FOUND", "There's no such receipt");
  return viewReceipt(found);
}

export function viewReceipt({ seq, hash, raw }: StoredReceipt & LedgerHead): ReceiptView {
  return { seq, hash, receipt: JSON.parse(raw) as ReceiptView["receipt"] };
}
