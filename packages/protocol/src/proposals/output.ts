import * as z from "zod";
import { enforcementSchema, jailSchema } from "./approval.ts";
import { outcomeSchema } from "./outcome.ts";
import { outsideIdSchema } from "./proposal.ts";

export const outputStreamSchema = z.enum(["stdout", "stderr"]);
export type OutputStreamName = z.infer<typeof outputStreamSchema>;

/** How much of stdout and of stderr was told, in bytes: `<stdout>-<stderr>`. */
export const positionSchema = z.string().regex(/^\d{1,15}-\d{1,15}$/, "isn't the id of an output event");

/** A piece of a run's output. Pieces come in the order in which the command wrote them, as the hub read it. */
export const outputEventSchema = z.object({
  /** Where to go on after it. */
  id: positionSchema,
  stream: outputStreamSchema,
  /** Whole characters, invalid bytes replaced, secrets redacted. */
  text: z.string(),
  /** Bytes of this stream before it that are left out: nobody took them while they were there. */
  omitted: z.number().int().positive().optional(),
});
export type OutputEvent = z.infer<typeof outputEventSchema>;

/** How it ended; stdout and stderr went before. */
export const endSchema = outcomeSchema.omit({ stdout: true, stderr: true });
export type OutcomeWithoutOutput = z.infer<typeof endSchema>;

/** `proposalId`: the proposer's own name for it; for those who see everything also the hub's key. */
export const followOutputParamsSchema = z.strictObject({
  proposalId: outsideIdSchema,
  after: positionSchema.optional(),
});
export const unfollowOutputParamsSchema = z.strictObject({ proposalId: outsideIdSchema });

/** A command that runs now, for those who see everything. */
export const runViewSchema = z.object({
  /** What it is followed and ended by. */
  key: z.string(),
  /** The agent's session, as in an approval. */
  agentId: z.string(),
  agentName: z.string(),
  /** Its beginning, redacted. */
  command: z.string(),
  cwd: z.string(),
  jail: jailSchema,
  enforcement: enforcementSchema,
  startedAtMs: z.number(),
  approvalId: z.string().optional(),
});
export type RunView = z.infer<typeof runViewSchema>;

/** `exec-run-ended`. Without an outcome, how it ended could not be recorded. */
export const runEndedSchema = z.object({ key: z.string(), outcome: endSchema.optional() });
export type RunEnded = z.infer<typeof runEndedSchema>;

export const runsSchema = z.object({ runs: z.array(runViewSchema) });

/** `reason`: for the agent, and on record. */
export const stopRunParamsSchema = z.strictObject({
  key: outsideIdSchema,
  reason: z.string().trim().min(1).max(1024).optional(),
});

/** `exec-output`, and RPC's `exec.output`. */
export const execOutputSchema = outputEventSchema.extend({ proposalId: z.string() });
export type ExecOutput = z.infer<typeof execOutputSchema>;

/** `exec-output-ended`, and RPC's `exec.output_ended`. Without an outcome, how it ended isn't known here. */
export const execOutputEndedSchema = z.object({ proposalId: z.string(), outcome: endSchema.optional() });
export type ExecOutputEnded = z.infer<typeof execOutputEndedSchema>;
