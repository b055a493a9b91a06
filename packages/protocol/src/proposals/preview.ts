import { FILE_TYPES } from "@countersign/vocabulary";
import * as z from "zod";
import { INCOMPLETE_SIGNATURE, signatureShape, signedWholly } from "./approval.ts";
import { outcomeSchema } from "./outcome.ts";

/**
 * Body of `POST /api/v1/approvals/:id/preview`, which may be left out. Where only a device's word allows the command, only that
 * has it tried out: signed as a decision is, with `decision: "preview"`.
 */
export const previewWishSchema = z.strictObject(signatureShape).refine(signedWholly, INCOMPLETE_SIGNATURE);
export type PreviewWish = z.infer<typeof previewWishSchema>;

export const previewExecParamsSchema = z
  .strictObject({ approvalId: z.string(), ...signatureShape })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);

/** One file, directory or link, as it was or would be. */
export const fileStateSchema = z.object({
  type: z.enum(FILE_TYPES),
  /** Octal: `755`. */
  mode: z.string(),
  /** In bytes; 0 for a directory. */
  size: z.number(),
  /** Where a link leads. */
  target: z.string().optional(),
});
export type FileState = z.infer<typeof fileStateSchema>;

export const fileChangeSchema = z.object({
  /** Absolute. */
  path: z.string(),
  change: z.enum(["created", "changed", "deleted"]),
  before: fileStateSchema.optional(),
  after: fileStateSchema.optional(),
  /** Lines of a unified diff, without secrets and with harmless characters only. */
  diff: z.string().optional(),
  /** Why a file's contents aren't compared. `limit`: enough others were. */
  undiffed: z.enum(["binary", "too-large", "unreadable", "limit"]).optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** What a command did to a copy of the workspace that was thrown away. The approval waits as before. */
export const previewSchema = z.object({
  approvalId: z.string(),
  /** How it ended there; `receipt` is the preview's own. */
  outcome: outcomeSchema,
  /** `overlay`: over the workspace itself, `copy`: over a copy of it. Absent when nothing was started. */
  how: z.enum(["overlay", "copy"]).optional(),
  /** By path; what is in `counts` and not here was left out. */
  changes: z.array(fileChangeSchema),
  counts: z.object({ created: z.number(), changed: z.number(), deleted: z.number() }),
  /** There is more than was listed, compared or looked at. */
  truncated: z.boolean(),
});
export type Preview = z.infer<typeof previewSchema>;
