import * as z from "zod";
import { attendParamsSchema, okSchema } from "../access/index.ts";
import { hubStateSchema } from "../hub/index.ts";
import {
  allowIfAsksAgainParamsSchema,
  answerResultSchema,
  execApprovalRequestSchema,
  expiredApprovalGrantSchema,
  followOutputParamsSchema,
  listExpiredResultSchema,
  outcomeSchema,
  outsideIdSchema,
  previewExecParamsSchema,
  previewSchema,
  proposeExecSchema,
  resolveExecApprovalParamsSchema,
  runsSchema,
  scopeOfferSchema,
  stopRunParamsSchema,
  unfollowOutputParamsSchema,
} from "../proposals/index.ts";
import {
  checkpointViewSchema,
  consistencyProofSchema,
  inclusionProofSchema,
  proveConsistencyParamsSchema,
  proveReceiptParamsSchema,
} from "../records/index.ts";

/** Most approvals that one page of `listExecApprovals` may ask for. */
export const MAX_APPROVALS_PAGE = 500;

const noParamsSchema = z.strictObject({});

export const resolveExecApprovalResultSchema = answerResultSchema;
export type ResolveExecApprovalResult = z.infer<typeof resolveExecApprovalResultSchema>;

export const listExecApprovalsParamsSchema = z.strictObject({
  /** The `next` of the page before. */
  after: z.string().max(128).optional(),
  limit: z.number().int().min(1).max(MAX_APPROVALS_PAGE).optional(),
});
export const listExecApprovalsResultSchema = z.object({
  approvals: z.array(execApprovalRequestSchema),
  /** Absent on the last page. */
  next: z.string().optional(),
});

export const getExecApprovalParamsSchema = z.strictObject({ approvalId: z.string() });

/** The narrowest first; none for what can't be allowed more than once. */
export const listScopesResultSchema = z.object({ scopes: z.array(scopeOfferSchema) });

/** `kill` also ends what runs. */
export const pauseParamsSchema = z.strictObject({ kill: z.boolean().optional() });
export const pauseResultSchema = okSchema.extend({
  /** Commands that were running and were told to end. */
  ended: z.number().int().nonnegative().optional(),
  /** The pause holds, and can't be put on record now: why. A hub that ends before that has forgotten it. */
  unrecorded: z.string().optional(),
});

/** Without a session, everything goes on; with one, only that session, after its denials had paused it. */
export const resumeParamsSchema = z.strictObject({ session: outsideIdSchema.optional() });

export const hubInfoSchema = z.object({
  hubDeviceId: outsideIdSchema,
  version: z.string(),
  paused: z.boolean(),
  /** Not told to agents. */
  pending: z.number().int().nonnegative().optional(),
  /** The key that signs receipts, where the hub shows it. */
  hubKey: z.string().optional(),
});
export type HubInfo = z.infer<typeof hubInfoSchema>;

/** `agentId` is the agent's session id, as in an approval. */
export const agentInfoSchema = z.object({ agentId: z.string(), agentName: z.string(), createdAtMs: z.number() });
export type AgentInfo = z.infer<typeof agentInfoSchema>;

/** Whether the ledger is whole, checked as it is stored; else the first receipt that isn't, and why. */
export const ledgerCheckSchema = z.discriminatedUnion("whole", [
  z.object({
    whole: z.literal(true),
    count: z.number(),
    head: z.object({ seq: z.number(), hash: z.string() }).nullable(),
  }),
  z.object({ whole: z.literal(false), code: z.string(), seq: z.number(), detail: z.string().optional() }),
]);

/** Every method of the envelope dialect: the hub checks `params` with it, the client `result`. */
export const METHODS = {
  resolveExecApproval: { params: resolveExecApprovalParamsSchema, result: resolveExecApprovalResultSchema },
  listExecApprovals: { params: listExecApprovalsParamsSchema, result: listExecApprovalsResultSchema },
  listExpiredApprovals: { params: noParamsSchema, result: listExpiredResultSchema },
  allowIfAsksAgain: { params: allowIfAsksAgainParamsSchema, result: expiredApprovalGrantSchema },
  getExecApproval: { params: getExecApprovalParamsSchema, result: execApprovalRequestSchema },
  revealExecApproval: { params: getExecApprovalParamsSchema, result: execApprovalRequestSchema },
  listScopes: { params: getExecApprovalParamsSchema, result: listScopesResultSchema },
  previewExec: { params: previewExecParamsSchema, result: previewSchema },
  cancelPreview: { params: getExecApprovalParamsSchema, result: okSchema },
  getHubInfo: { params: noParamsSchema, result: hubInfoSchema },
  listAgents: { params: noParamsSchema, result: z.object({ agents: z.array(agentInfoSchema) }) },
  proposeExec: { params: proposeExecSchema, result: outcomeSchema },
  verify: { params: noParamsSchema, result: ledgerCheckSchema },
  getCheckpoint: { params: noParamsSchema, result: checkpointViewSchema },
  proveConsistency: { params: proveConsistencyParamsSchema, result: consistencyProofSchema },
  proveReceipt: { params: proveReceiptParamsSchema, result: inclusionProofSchema },
  listRuns: { params: noParamsSchema, result: runsSchema },
  followState: { params: noParamsSchema, result: hubStateSchema },
  unfollowState: { params: noParamsSchema, result: okSchema },
  followRuns: { params: noParamsSchema, result: runsSchema },
  unfollowRuns: { params: noParamsSchema, result: okSchema },
  stopRun: { params: stopRunParamsSchema, result: okSchema },
  followOutput: { params: followOutputParamsSchema, result: okSchema },
  unfollowOutput: { params: unfollowOutputParamsSchema, result: okSchema },
  pause: { params: pauseParamsSchema, result: pauseResultSchema },
  resume: { params: resumeParamsSchema, result: okSchema },
  attend: { params: attendParamsSchema, result: okSchema },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type MethodName = keyof typeof METHODS;
export type MethodParams<M extends MethodName> = z.infer<(typeof METHODS)[M]["params"]>;
export type MethodResult<M extends MethodName> = z.infer<(typeof METHODS)[M]["result"]>;

/** Own names only: `constructor` and its like are not methods. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}
