import type { ListReceiptsParams, listReceiptsResultSchema, ReceiptView } from "@countersign/sdk";
import type { z } from "zod";
import { HubError } from "../hub-error.ts";
import type { Store } from "../store/store.ts";
import type { StoredReceipt } from "./check-ledger.ts";
import type { LedgerHead } from "./entries.ts";

type Receipts = Pick<Store, "findReceipts" | "receiptBy">;

/** A page of the ledger, as those see it who may see everything. */
export async function listReceipts(
  store: Receipts,
  { after, limit, session, type, fromMs, toMs }: ListReceiptsParams,
): Promise<z.infer<typeof listReceiptsResultSchema>> {
  const found = await store.findReceipts({ afterSeq: after, limit, sessionId: session, type, fromMs, toMs });
  const last = found.at(-1);
  return { receipts: found.map(view), ...(last && found.length === limit ? { next: last.seq } : {}) };
}

/** By its hash, or by its number in the ledger. */
export async function getReceipt(store: Receipts, id: string): Promise<ReceiptView> {
  const key = /^[1-9]\d{0,14}$/.test(id) ? { seq: Number(id) } : { hash: id };
  const found = await store.receiptBy(key);
  if (!found) throw new HubError("NOT_FOUND", "There's no such receipt");
  return view(found);
}

function view({ seq, hash, raw }: StoredReceipt & LedgerHead): ReceiptView {
  return { seq, hash, receipt: JSON.parse(raw) as ReceiptView["receipt"] };
}
