import * as z from "zod";
import { answerSchema } from "./approval.ts";
import { savedEntrySchema } from "./explanation.ts";

const countsSchema = z.object({ allowed: z.number().int(), denied: z.number().int() });

/**
 * `GET /api/v1/approvals/:id/past`: how people answered before when something was asked about that is called the same. `shape` is a program
 * with its subcommand (`npm test`); two of the same shape need not do the same.
 */
export const pastAnswersSchema = z.object({
  past: z.array(
    z.object({
      shape: z.string(),
      /** In this repository or, outside of one, in this directory. */
      here: countsSchema,
      elsewhere: countsSchema,
      lastAtMs: z.number().nullable(),
    }),
  ),
});
export type PastAnswers = z.infer<typeof pastAnswersSchema>;

/** Body of `POST /api/v1/approvals/:id/try-scope`: the scope of an answer that isn't given yet. */
export const tryScopeSchema = z.strictObject({ scope: answerSchema.shape.scope.unwrap() });

/** A command of the past that nobody would have been asked about. */
export const coveredCommandSchema = z.object({
  /** Its beginning, redacted. */
  command: z.string(),
  cwd: z.string(),
  count: z.number().int(),
  /** How many of these a person denied. */
  denied: z.number().int(),
});
export type CoveredCommand = z.infer<typeof coveredCommandSchema>;

/** What a scope would come to, on the past as far as it was looked at. Nothing is saved. */
export const scopeTrialSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("refused"), reason: z.string() }),
  z.object({
    kind: z.literal("saves"),
    scope: z.string(),
    words: z.string(),
    saves: z.array(z.string()),
    entries: z.array(savedEntrySchema),
    note: z.string().optional(),
    /** Without it, until somebody takes it back. */
    lifeMs: z.number().optional(),
    past: z.object({
      /** Questions that were looked at, the newest; there are more where `truncated`. */
      looked: z.number().int(),
      truncated: z.boolean(),
      /** Of these, how many nobody would have been asked; and how many of those a person had denied. */
      covered: z.number().int(),
      denied: z.number().int(),
      /** Those that aren't the command at hand: denied ones first, then by their number; a few. */
      others: z.array(coveredCommandSchema),
      /** How many different ones there are. */
      otherCommands: z.number().int(),
    }),
  }),
]);
export type ScopeTrial = z.infer<typeof scopeTrialSchema>;
