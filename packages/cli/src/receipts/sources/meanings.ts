import { FAULT_MEANINGS } from "@countersign/receipts";

/** With what can be done about it here. */
export const MEANINGS: typeof FAULT_MEANINGS = {
  ...FAULT_MEANINGS,
  UNRESOLVABLE_DID: `${FAULT_MEANINGS.UNRESOLVABLE_DID} Give it with --trust.`,
};
