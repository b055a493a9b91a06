import { VERDICTS } from "@countersign/vocabulary";
import * as z from "zod";
import { enforcementSchema, riskLevelSchema, wireEffectSchema } from "./approval.ts";
import { deciderSchema } from "./outcome.ts";
import { proposeExecSchema } from "./proposal.ts";

export const profileIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "isn't a profile id");

/** Body of `POST /api/v1/explain`. Nothing is proposed, run or recorded. */
export const explainSchema = proposeExecSchema.pick({ command: true, cwd: true, env: true }).extend({
  /** Instead of the one that a local agent has. */
  profile: profileIdSchema.optional(),
});
export type ExplainParams = z.infer<typeof explainSchema>;

export const verdictSchema = z.enum(VERDICTS);
const assessment = { riskLevel: riskLevelSchema, riskReasons: z.array(z.string()) };
const spanShape = wireEffectSchema.shape.span;

/** What may be saved for a command: the pattern, and how far it may go at the most. */
export const savedEntrySchema = z.looseObject({
  pattern: z.string(),
  ceiling: z.record(z.string(), z.unknown()).optional(),
});

/** Why a command would be allowed, asked about or denied; also what `countersign explain --json` prints. */
export const explanationSchema = z.object({
  command: z.string(),
  ...assessment,
  enforcement: enforcementSchema,
  opaque: z.boolean(),
  spans: z.array(spanShape.extend({ risk: riskLevelSchema, kinds: z.array(wireEffectSchema.shape.kind) })),
  effects: z.array(wireEffectSchema),
  decision: z.object({
    verdict: verdictSchema,
    by: deciderSchema,
    reason: z.string(),
    entryIds: z.array(z.string()),
  }),
  inJail: z.object({ ...assessment, verdict: verdictSchema }).optional(),
  always: z
    .object({
      entries: z.array(savedEntrySchema),
      /** What can't be saved, and why. */
      note: z.string().optional(),
      /** What it doesn't hold: code that can change. */
      open: z.string().optional(),
    })
    .optional(),
});
export type WireExplanation = z.infer<typeof explanationSchema>;
