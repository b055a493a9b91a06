import * as z from "zod";

/**
 * NOT_FOUND: unknown, answered, expired or not yours. INVALID_PARAMS: fix what the message names. METHOD_NOT_FOUND.
 * UNAUTHORIZED: no token, or its role may not. CONFLICT: a `proposalId` used again with another body.
 * LIMIT: too much at once or too large; the message names the limit. INTERNAL: ours; nothing was run unless the message says so.
 */
export const problemCodeSchema = z.enum([
  "NOT_FOUND",
  "INVALID_PARAMS",
  "METHOD_NOT_FOUND",
  "UNAUTHORIZED",
  "CONFLICT",
  "LIMIT",
  "INTERNAL",
]);
export type ProblemCode = z.infer<typeof problemCodeSchema>;

export const problemSchema = z.object({ code: problemCodeSchema, message: z.string() });
export type Problem = z.infer<typeof problemSchema>;

/** Seed 001's exact words, for every id that can't be answered any more. */
export const APPROVAL_NOT_FOUND = "Approval request not found or already resolved";
