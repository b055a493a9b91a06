export { History } from "./history.ts";
export { LedgerQueries } from "./ledger-queries.ts";
