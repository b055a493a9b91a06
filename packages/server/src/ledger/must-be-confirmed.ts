import type { LedgerDraft, LedgerType } from "./entries.ts";

/** What lets somebody do, see or go on with something. */
const LETS: ReadonlySet<LedgerType> = new Set([
  "started",
  "preview-decided",
  "revealed",
  "token-created",
  "device-claimed",
  "resumed",
]);

/**
 * Where another process signs: whether nothing may follow from this before its receipt is there, so that it is refused while that process is
 * out of reach. The others either have happened already (an end, a start of the hub) or take something away (a denial, a pause, a revoked
 * token, a policy that was tightened): refusing those would be the unsafe side. They are kept, and delivered before anything that comes
 * after them. So is a change of policy that widens: nothing is permitted under it before the record has it.
 */
export function mustBeConfirmed({ type, body }: LedgerDraft): boolean {
  return type === "decided" ? body.verdict === "allow" : LETS.has(type);
}
