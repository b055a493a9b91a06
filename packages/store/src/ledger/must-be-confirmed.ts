import type { LedgerDraft, LedgerType } from "./entries.ts";

/** Whether it lets somebody do, see or go on with something. Each type is asked: a new one can't be forgotten. */
const LETS: Readonly<Record<Exclude<LedgerType, "decided">, boolean>> = {
  started: true,
  "preview-decided": true,
  revealed: true,
  "token-created": true,
  "device-claimed": true,
  "notify-on": true,
  "adapter-removed": true,
  resumed: true,
  ended: false,
  "preview-ended": false,
  "policy-changed": false,
  "config-changed": false,
  paused: false,
  "token-revoked": false,
  "auth-failed": false,
  "notify-off": false,
  "adapter-installed": false,
  "hub-up": false,
  "hub-down": false,
  "ledger-opened": false,
  "epoch-opened": false,
  checkpoint: false,
  "key-rotated": false,
};

/**
 * Where another process signs: whether nothing may follow from this before its receipt is there, so that it is refused while that process is
 * out of reach. The others either have happened already (an end, a start of the hub) or take something away (a denial, a pause, a revoked
 * token, a policy that was tightened): refusing those would be the unsafe side. They are kept, and delivered before anything that comes
 * after them. So is a change of policy that widens: nothing is permitted under it before the record has it.
 */
export function mustBeConfirmed({ type, body }: LedgerDraft): boolean {
  return type === "decided" ? body.verdict === "allow" : LETS[type];
}
