/** One receipt: by its hash, its number in the ledger, its own id, or its place in a chain. */
export type ReceiptKey =
  | { readonly hash: string }
  | { readonly seq: number }
  | { readonly id: string }
  | { readonly chainId: string; readonly sequence: number };

const SEQ = /^[1-9]\d{0,14}$/;
const HASH = /^(?:sha256:)?([0-9a-f]{64})$/;
const URN = /^urn:receipt:/;

/** What people and programs name a receipt by: its number in the ledger, its hash or its own id. null: none of them. */
export function receiptKey(id: string): ReceiptKey | null {
  const [, hash] = HASH.exec(id) ?? [];
  if (hash !== undefined) return { hash: `sha256:${hash}` };
  if (URN.test(id)) return { id };
  return SEQ.test(id) ? { seq: Number(id) } : null;
}
