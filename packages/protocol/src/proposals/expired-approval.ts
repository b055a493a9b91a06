import * as z from "zod";
import { execApprovalRequestSchema, INCOMPLETE_SIGNATURE, signatureShape, signedWholly } from "./approval.ts";

const wishShape = {
  /** Why; it stands beside what was allowed. */
  reason: z
    .string()
    .max(1024)
    .refine((reason) => reason.isWellFormed(), "isn't valid Unicode")
    .optional(),
  ...signatureShape,
};

/**
 * Body of `POST /api/v1/approvals/:id/allow-if-asks-again`: an approval that has expired is allowed for the next time that the same
 * session asks the same. Signed as a decision is, with `decision: "allow-if-asks-again"` and the card's own id and hash.
 */
export const allowExpiredApprovalSchema = z.strictObject(wishShape).refine(signedWholly, INCOMPLETE_SIGNATURE);
export type AllowExpiredApproval = z.infer<typeof allowExpiredApprovalSchema>;

export const allowIfAsksAgainParamsSchema = z
  .strictObject({ approvalId: z.string(), ...wishShape })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);

export const expiredApprovalGrantSchema = z.object({
  ok: z.literal(true),
  /** What it is listed and taken back by, among what is allowed for a while. */
  grant: z.string(),
  expiresAtMs: z.number(),
});
export type ExpiredApprovalGrant = z.infer<typeof expiredApprovalGrantSchema>;

/** Newest first: those that can be answered so. */
export const listExpiredResultSchema = z.object({ approvals: z.array(execApprovalRequestSchema) });
