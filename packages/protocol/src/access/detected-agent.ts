import { AGENT_SCOPES } from "@countersign/vocabulary";
import * as z from "zod";
import { INCOMPLETE_SIGNATURE, signatureShape, signedWholly } from "../proposals/index.ts";

/** Whose settings name our hook: this user's, this project's, or the machine's, which a user can't override. */
const agentScopeSchema = z.enum(AGENT_SCOPES);

/** An agent, or a way in, as it is on the hub's machine. */
export const detectedAgentSchema = z.object({
  name: z.string(),
  title: z.string(),
  /** Whether the machine has it; null: nothing tells. */
  found: z.boolean().nullable(),
  /** Where its settings have it ask us. */
  connected: z.array(agentScopeSchema),
  /** What to type to connect it. */
  command: z.string(),
  /** Whether the hub can do that itself. */
  connectable: z.boolean(),
  /** What holds for it here and now. */
  decided: z.boolean(),
  jailed: z.boolean(),
  rewritable: z.boolean(),
  outcomeRecorded: z.boolean(),
  limits: z.array(z.string()),
});
export type DetectedAgentView = z.infer<typeof detectedAgentSchema>;

/**
 * Body of `DELETE /api/v1/agents/:name/connect`. Signed as a new token is, over `{approvalId: "agent:<name>", …}` and the hash of
 * `{agent, wish: "disconnect", settings?, problem?}`.
 */
export const agentDisconnectSchema = z
  .strictObject({
    ...signatureShape,
    /** Settings that the caller takes our lines out of itself: that is recorded, and nothing else is done. */
    settings: z.string().min(1).max(4_096).optional(),
    /** Why that could not be done after all. */
    problem: z.string().max(4_096).optional(),
  })
  .refine(signedWholly, INCOMPLETE_SIGNATURE)
  // What the hub does itself it tells itself: a receipt must not say beforehand that it failed.
  .refine(
    ({ problem, settings }) => problem === undefined || settings !== undefined,
    "A problem is told with its settings",
  );
export type AgentDisconnect = z.infer<typeof agentDisconnectSchema>;

/** What connecting or disconnecting an agent did. */
export const agentChangedSchema = z.object({
  agent: z.string(),
  changed: z.boolean(),
  /** Its settings. */
  settings: z.string(),
  /** Every file that was written or removed. */
  files: z.array(z.string()),
  /** Copies of what stood there before. */
  backups: z.array(z.string()),
  /** What to know or do now, one sentence each. */
  notes: z.array(z.string()),
});
export type AgentChanged = z.infer<typeof agentChangedSchema>;
