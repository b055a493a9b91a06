import { type LedgerEntry, type LedgerRow, StoreError } from "../../ledger/index.ts";
import { toLedgerEntry } from "../rows/index.ts";

/** What a receipt of the hub's own says, where its row says the same. */
export function entryIn(row: LedgerRow, hash: string): LedgerEntry {
  const { seq, raw, type, sessionId, proposalKey, atMs } = row;
  const { issuer, issuanceDate } = JSON.parse(raw) as Said;
  const isSame =
    issuer.runtime?.entry === type &&
    (issuer.session_id ?? "") === (sessionId ?? "") &&
    (issuer.runtime?.proposal ?? null) === proposalKey &&
    Date.parse(issuanceDate) === atMs;
  if (!isSame) throw invalid(row, "isn't what its row says");
  try {
    return toLedgerEntry({ seq, raw, type, hash, session_id: sessionId, proposal_key: proposalKey, at_ms: atMs });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw invalid(row, "says nothing that a hub or a recorder says");
  }
}

interface Said {
  readonly issuanceDate: string;
  readonly issuer: {
    readonly session_id?: string;
    readonly runtime?: { readonly entry?: string; readonly proposal?: string };
  };
}

export function invalid({ seq }: Pick<LedgerRow, "seq">, why: string): StoreError {
  return new StoreError("RECORDER_INVALID", `The recorder's receipt ${seq} ${why}. It wasn't taken.`);
}
