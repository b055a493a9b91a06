import type { Store } from "../contract/index.ts";
import type { StoredReceipt } from "../ledger/index.ts";

const PAGE = 500;

/** Every receipt of a store, a page at a time, so that others get their turn. */
export async function* allReceipts(store: Pick<Store, "receipts">): AsyncGenerator<StoredReceipt, void, undefined> {
  for (let afterSeq = 0; ; ) {
    const page = await store.receipts({ afterSeq, limit: PAGE });
    yield* page;
    if (page.length === 0) return;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
