import { DECIDERS, OUTCOME_KINDS } from "@countersign/vocabulary";
import * as z from "zod";

export const outcomeKindSchema = z.enum(OUTCOME_KINDS);
export const deciderSchema = z.enum(DECIDERS);

/** Why a run was interrupted, where the hub did it. */
export const outcomeCodeSchema = z.enum([
  /** What its jail held in place was lost while it ran. What ran may be something else than was approved: look at what it did. */
  "MOUNT_LOST",
]);
export type OutcomeCode = z.infer<typeof outcomeCodeSchema>;

export const outcomeSchema = z.object({
  kind: outcomeKindSchema,
  code: outcomeCodeSchema.optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  truncated: z.boolean().optional(),
  by: deciderSchema.optional(),
  reason: z.string().optional(),
  approvalId: z.string().optional(),
  receipt: z.string().optional(),
  /** Who changed the command, and to what: that ran instead or, where it was denied, may be proposed. */
  edited: z.object({ by: z.string(), command: z.string() }).optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;
