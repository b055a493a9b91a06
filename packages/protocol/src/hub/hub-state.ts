import { PROPOSAL_STATES } from "@countersign/vocabulary";
import * as z from "zod";

/** How the warning begins that a hub builds no jails; the reason follows. */
export const NO_JAIL_WARNING = "Commands run without a jail, so more is asked about: ";

/** `GET /api/v1/state`: what bare `countersign` tells. */
export const hubStateSchema = z.object({
  version: z.string(),
  paused: z.object({ by: z.string(), atMs: z.number() }).nullable(),
  /** Sessions that too many denials in a row have paused. */
  pausedSessions: z.array(z.string()).optional(),
  pending: z.number(),
  running: z.number(),
  /** Proposals that ended since midnight of the hub's clock, by outcome kind. */
  today: z.record(z.string(), z.number()),
  /** Of those, and of what waits or runs still, how many a person was asked about. */
  askedToday: z.number().optional(),
  /** Why nothing can be put on record now, so that everything new is denied; also the first of the warnings. */
  problem: z.string().optional(),
  /** Things that a person should look at, one sentence each. */
  warnings: z.array(z.string()),
});
export type HubState = z.infer<typeof hubStateSchema>;

/** A detached proposal as its proposer sees it. */
export const proposalStatusSchema = z.object({
  proposalId: z.string(),
  state: z.enum(PROPOSAL_STATES),
  approvalId: z.string().optional(),
  outcome: z.unknown().optional(),
});
export type ProposalStatus = z.infer<typeof proposalStatusSchema>;

/** What a person allowed beside the profile. One of `pattern`, `command` (with its pattern) and `root` says what. */
export const grantViewSchema = z.object({
  id: z.string(),
  profile: z.string(),
  /** Null: in every session. */
  session: z.string().nullable(),
  atMs: z.number(),
  expiresAtMs: z.number(),
  pattern: z.string().optional(),
  command: z.string().optional(),
  /** Anything whose effects stay inside, in a jail. */
  root: z.string().optional(),
  /** Only the very proposal that it was allowed for, and only once. */
  once: z.literal(true).optional(),
  by: z.string().optional(),
  why: z.string().optional(),
});
export type GrantView = z.infer<typeof grantViewSchema>;
