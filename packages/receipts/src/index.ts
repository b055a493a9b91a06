export { CanonicalError, canonicalize, type Json } from "./canonical.ts";
export {
  type ChainCheck,
  type ChainHead,
  LEDGER_TYPES,
  type LedgerDraft,
  type LedgerEntry,
  type LedgerType,
  link,
  type Sha256Hex,
  verifyChain,
} from "./chain.ts";
