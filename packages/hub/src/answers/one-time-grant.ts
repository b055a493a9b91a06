import type { Json } from "@countersign/receipts";
import type { GrantRecord } from "@countersign/store";
import * as z from "zod";
import { type Assessment, bindingHash } from "../proposals/index.ts";

/**
 * What a `once` grant holds for: this very proposal of this owner, run in the same way, and nothing changed of what it was bound to.
 * A change of the policy is judged apart, when it is used.
 */
const oneTimeGrantSchema = z.object({
  ownerId: z.string(),
  proposalHash: z.string(),
  enforcement: z.string(),
  /** As on record, see `bindingHash`. */
  binding: z.string(),
  salt: z.string().optional(),
  policyVersion: z.string(),
  /** The card that it was allowed on. */
  approvalId: z.string(),
  /** Redacted, for whoever lists it. */
  command: z.string(),
  by: z.string(),
  why: z.string().optional(),
});
export type OneTimeGrant = z.infer<typeof oneTimeGrantSchema>;

export function encodeOneTimeGrant(once: OneTimeGrant): GrantRecord["body"] {
  return once as unknown as Record<string, Json>;
}

/** Undefined for what isn't one, or can't be read: that allows nothing. */
export function decodeOneTimeGrant({ kind, body }: GrantRecord): OneTimeGrant | undefined {
  return kind === "once" ? oneTimeGrantSchema.safeParse(body).data : undefined;
}

/** Whether the grant allows this very proposal. Never on the floor, nor if the hub has a reason of its own to ask a person. */
export function matchesOneTimeGrant(record: GrantRecord, assessment: Assessment): boolean {
  const once = decodeOneTimeGrant(record);
  const { proposal, proposalHash, enforcement, binding, classification, profile } = assessment;
  if (once === undefined || profile === null || proposal.mustAskReason !== undefined) return false;
  if (classification.effects.some((effect) => effect.floor)) return false;
  return (
    record.sessionId === proposal.sessionId &&
    record.profileId === proposal.profileId &&
    once.ownerId === proposal.ownerId &&
    once.proposalHash === proposalHash &&
    once.enforcement === enforcement &&
    once.binding === bindingHash({ ...binding, policyVersion: once.policyVersion }, once.salt)
  );
}
