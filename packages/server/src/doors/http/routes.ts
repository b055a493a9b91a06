import {
  answerResultSchema,
  answerSchema,
  checkpointViewSchema,
  consistencyProofSchema,
  deviceViewSchema,
  endSchema,
  enrolledDeviceSchema,
  execApprovalRequestSchema,
  explainSchema,
  explanationSchema,
  grantViewSchema,
  hubStateSchema,
  inclusionProofSchema,
  keyRotatedSchema,
  lateAnswerSchema,
  lateAnswerWishSchema,
  ledgerCheckSchema,
  listReceiptsParamsSchema,
  listScopesResultSchema,
  newTokenSchema,
  okSchema,
  outcomeSchema,
  outputEventSchema,
  pairingConfirmSchema,
  pairingStartedSchema,
  pauseParamsSchema,
  pauseResultSchema,
  policyEditedSchema,
  policyEditSchema,
  policyTrustSchema,
  previewSchema,
  previewWishSchema,
  problemSchema,
  proposalStatusSchema,
  proposeExecSchema,
  proveConsistencyParamsSchema,
  proveReceiptParamsSchema,
  receiptViewSchema,
  reportParamsSchema,
  reportSchema,
  resumeParamsSchema,
  rotateKeyParamsSchema,
  runViewSchema,
  storySchema,
  tokenViewSchema,
  wantedDeviceSchema,
  wantedTokenSchema,
} from "@countersign/sdk";
import type { Context } from "hono";
import { z } from "zod";
import type { Clock } from "../../clock.ts";
import type { Hub } from "../../hub/hub.ts";
import type { Pairing } from "../../hub/pairing.ts";
import type { Tokens } from "../../hub/tokens.ts";
import { HubError } from "../../hub-error.ts";
import type { Limits } from "../../limits.ts";
import { readOrRefuse } from "../../read-or-refuse.ts";
import type { GrantRecord } from "../../store/records.ts";
import { hookQuerySchema, hookRoute } from "../hooks/hook-route.ts";
import type { OperationName } from "../operations.ts";
import { readJson } from "../read-json.ts";
import type { DoorVariables } from "./guard.ts";
import { outputRoute } from "./output-route.ts";
import { proposeRoute, waitMsOf } from "./propose-route.ts";

export type DoorContext = Context<DoorVariables>;
interface RouteRooms {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly pairing: Pairing;
  readonly limits: Limits;
  readonly clock: Clock;
}

/** One operation over HTTP. The schemas check what comes and are what the OpenAPI file says. */
export interface Route {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What a 200 answers as JSON. */
  readonly result?: z.ZodType;
  /** What it answers as server-sent events: the data of each, by its name. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** What a 202 answers, where there is one. */
  readonly later?: z.ZodType;
  handle(c: DoorContext, rooms: RouteRooms): Promise<Response>;
}

const pageSchema = z.object({
  after: z.string().max(128).optional(),
  limit: z.coerce.number().int().min(1).optional(),
});

const STREAMED = { output: outputEventSchema, end: endSchema.nullable(), problem: problemSchema };

/** Method and path of each are in the table of operations. */
export const ROUTES = {
  propose: {
    summary:
      "Propose a command and wait for its outcome; with Prefer: respond-async or wait=N, 202 and where to ask; with Accept: text/event-stream, its output as it comes",
    body: proposeExecSchema,
    result: outcomeSchema,
    later: proposalStatusSchema,
    events: STREAMED,
    handle: async (c, rooms) => await proposeRoute(c, rooms, await readBody(c)),
  },
  hook: {
    summary:
      "Claude Code's HTTP hook: answers its event as its hooks are answered, and denies with 200 whatever goes wrong, since Claude Code goes on after any other status",
    query: hookQuerySchema,
    body: z.looseObject({ hook_event_name: z.string() }),
    result: z.looseObject({}),
    handle: async (c, rooms) => await hookRoute(c, rooms, await readBody(c)),
  },
  proposalStatus: {
    summary: "What became of a proposal; Prefer: wait=N waits for its end",
    result: proposalStatusSchema,
    handle: async (c, { hub }) => {
      return c.json(await hub.proposals.waitFor(c.var.identity, param(c, "proposalId"), waitMsOf(c) ?? 0));
    },
  },
  listRuns: {
    summary: "What runs now, the oldest first; its key is what it is followed and ended by",
    result: z.array(runViewSchema),
    handle: async (c, { hub }) => c.json(hub.runs()),
  },
  followOutput: {
    summary: "What a run writes, as server-sent events while it runs; Last-Event-ID goes on after that event",
    events: STREAMED,
    handle: async (c, rooms) => await outputRoute(c, param(c, "proposalId"), rooms),
  },
  withdraw: {
    summary: "Withdraw a proposal: waiting it is cancelled, running it is ended",
    result: okSchema,
    handle: async (c, { hub }) => {
      hub.proposals.cancel(c.var.identity, param(c, "proposalId"));
      return c.json({ ok: true });
    },
  },
  explain: {
    summary: "What would become of a command if a local agent proposed it, and why; nothing is run or recorded",
    body: explainSchema,
    result: explanationSchema,
    handle: async (c, { hub }) => c.json(await hub.explain(await readBody(c))),
  },
  listApprovals: {
    summary: "What waits, oldest first; further pages by Link: rel=next",
    query: pageSchema,
    result: z.array(execApprovalRequestSchema),
    handle: listApprovals,
  },
  getApproval: {
    summary: "One approval that waits",
    result: execApprovalRequestSchema,
    handle: async (c, { hub }) => c.json(await hub.approvals.get(param(c, "id"), c.var.identity)),
  },
  revealApproval: {
    summary: "One approval that waits, with nothing hidden; that you looked is recorded",
    result: execApprovalRequestSchema,
    handle: async (c, { hub }) => c.json(await hub.reveal(param(c, "id"), c.var.identity)),
  },
  listScopes: {
    summary: "The ways to allow it more than once, the narrowest first",
    result: listScopesResultSchema,
    handle: async (c, { hub }) => c.json({ scopes: [...hub.approvals.scopes(param(c, "id"))] }),
  },
  answer: {
    summary: "Answer an approval",
    body: answerSchema,
    result: answerResultSchema,
    handle: async (c, { hub }) => c.json(await hub.answer(param(c, "id"), await readBody(c), c.var.identity)),
  },
  listExpired: {
    summary: "What nobody answered in time, newest first, as long as it can be allowed for when it asks again",
    result: z.array(execApprovalRequestSchema),
    handle: async (c, { hub }) => c.json(await hub.lateAnswers.list()),
  },
  allowLate: {
    summary:
      "Allow an approval that has expired for the next time that the same session asks the same: once, 30 minutes",
    body: lateAnswerWishSchema,
    result: lateAnswerSchema,
    handle: async (c, { hub }) => {
      const wish = readOrRefuse(lateAnswerWishSchema, await readBody(c, {}));
      return c.json(await hub.lateAnswers.allow(param(c, "id"), wish, c.var.identity));
    },
  },
  preview: {
    summary: "Run it where whatever it writes is thrown away, without network, and tell what it did; answers nothing",
    body: previewWishSchema,
    result: previewSchema,
    handle: async (c, { hub }) => {
      const wish = readOrRefuse(previewWishSchema, await readBody(c, {}));
      return c.json(await hub.preview(param(c, "id"), wish, c.var.identity, c.req.raw.signal));
    },
  },
  cancelPreview: {
    summary: "End a preview that runs; the approval waits as before",
    result: okSchema,
    handle: async (c, { hub }) => {
      hub.previews.cancel(param(c, "id"), c.var.identity);
      return c.json({ ok: true });
    },
  },
  editPolicy: {
    summary: "Add entries to a profile, or remove them",
    body: policyEditSchema,
    result: policyEditedSchema,
    handle: async (c, { hub }) => c.json(await hub.policyEdits.edit(await readBody(c), c.var.identity)),
  },
  trustPolicy: {
    summary: "Let a repository's own policy allow what it says, as long as its file stays as it is",
    body: policyTrustSchema,
    result: okSchema,
    handle: async (c, { hub }) => c.json(await hub.policyEdits.trust(await readBody(c), c.var.identity)),
  },
  pause: {
    summary: "Deny everything new, and allow nothing that waits; with kill, also end what runs",
    body: pauseParamsSchema,
    result: pauseResultSchema,
    handle: async (c, { hub }) => {
      const params = readOrRefuse(pauseParamsSchema, await readBody(c, {}));
      return c.json({ ok: true, ended: await hub.pause(c.var.identity, params) });
    },
  },
  resume: {
    summary: "End the pause; with a session, only that session's, which its denials had paused",
    body: resumeParamsSchema,
    result: okSchema,
    handle: async (c, { hub }) => {
      const { session } = readOrRefuse(resumeParamsSchema, await readBody(c, {}));
      await hub.resume(c.var.identity, session);
      return c.json({ ok: true });
    },
  },
  listReceipts: {
    summary: "Receipts in the order of the ledger, as they were signed; further pages by Link: rel=next",
    query: listReceiptsParamsSchema,
    result: z.array(receiptViewSchema),
    handle: async (c, { hub }) => {
      const wanted = readOrRefuse(listReceiptsParamsSchema, c.req.query());
      const { receipts, next } = await hub.receipts(wanted);
      if (next !== undefined) {
        const query = new URLSearchParams({ ...c.req.query(), after: `${next}` });
        c.header("Link", `</api/v1/receipts?${query}>; rel="next"`);
      }
      return c.json(receipts);
    },
  },
  getCheckpoint: {
    summary: "The newest checkpoint: a signed note about the tree of all receipts so far, and what its key rests on",
    result: checkpointViewSchema,
    handle: async (c, { hub }) => c.json(await hub.proofs.checkpoint()),
  },
  // Before the receipts by their ids, of which it would be one.
  proveConsistency: {
    summary:
      "Proof that the ledger of `to` receipts has the first `from` unchanged; by default up to the newest checkpoint",
    query: proveConsistencyParamsSchema,
    result: consistencyProofSchema,
    handle: async (c, { hub }) => {
      return c.json(await hub.proofs.consistency(readOrRefuse(proveConsistencyParamsSchema, c.req.query())));
    },
  },
  proveReceipt: {
    summary: "Proof that a receipt is in the tree of the newest checkpoint, or of the one of `size` receipts",
    query: proveReceiptParamsSchema.omit({ id: true }),
    result: inclusionProofSchema,
    handle: async (c, { hub }) => {
      const { id, size } = readOrRefuse(proveReceiptParamsSchema, { ...c.req.query(), id: param(c, "id") });
      return c.json(await hub.proofs.inclusion(id, size));
    },
  },
  getReceipt: {
    summary: "One receipt, by its hash, its number in the ledger or its id",
    result: receiptViewSchema,
    handle: async (c, { hub }) => c.json(await hub.receipt(param(c, "id"))),
  },
  tellStory: {
    summary:
      "Who allowed it, under which rule or from which device, what ran, where, how it ended, and whether its receipts are whole; by the id of a receipt, a proposal or an approval",
    result: storySchema,
    handle: async (c, { hub }) => c.json(await hub.story(param(c, "id"))),
  },
  rotateKey: {
    summary: "Change the key that signs the ledger to the one that was committed to, and destroy the old one",
    body: rotateKeyParamsSchema,
    result: keyRotatedSchema,
    handle: async (c, { hub }) => {
      readOrRefuse(rotateKeyParamsSchema, await readBody(c));
      return c.json(await hub.rotateKey(c.var.identity));
    },
  },
  report: {
    summary:
      "What happened in a span, counted from the receipts, each of them verified: decisions, runs, approvers, changes, gaps, and what isn't proved",
    query: reportParamsSchema,
    result: reportSchema,
    handle: async (c, { hub }) => c.json(await hub.reportOn(readOrRefuse(reportParamsSchema, c.req.query()))),
  },
  verify: {
    summary: "Check every link, signature and checkpoint of the ledger, as it is stored",
    result: ledgerCheckSchema,
    handle: async (c, { hub }) => c.json(await hub.verifyLedger()),
  },
  listGrants: {
    summary: "What people allowed for a session or for a while, and is in force",
    result: z.array(grantViewSchema),
    handle: async (c, { hub }) => c.json(hub.grants.list().map(viewGrant)),
  },
  revokeGrant: {
    summary: "Take back what was allowed for a session or for a while",
    result: okSchema,
    handle: async (c, { hub }) => {
      await hub.grants.revoke(param(c, "id"), c.var.identity);
      return c.json({ ok: true });
    },
  },
  state: {
    summary: "What goes on, and what a person should look at",
    result: hubStateSchema,
    handle: async (c, { hub }) => c.json(await hub.state()),
  },
  createToken: {
    summary: "Make a token; it is shown this once",
    body: wantedTokenSchema,
    result: newTokenSchema,
    handle: async (c, { tokens }) => {
      return c.json(await tokens.create(readOrRefuse(wantedTokenSchema, await readBody(c)), c.var.identity));
    },
  },
  listTokens: {
    summary: "Every token, revoked ones too, without what they are",
    result: z.array(tokenViewSchema),
    handle: async (c, { tokens }) => c.json(await tokens.list()),
  },
  revokeToken: {
    summary: "Revoke a token for ever, and cut off who is connected with it",
    result: okSchema,
    handle: async (c, { tokens }) => {
      await tokens.revoke(param(c, "id"), c.var.identity);
      return c.json({ ok: true });
    },
  },
  enrolDevice: {
    summary: "Make a device's key known, so that it can sign decisions",
    body: wantedDeviceSchema,
    result: enrolledDeviceSchema,
    handle: async (c, { hub }) => {
      return c.json(await hub.devices.enrol(readOrRefuse(wantedDeviceSchema, await readBody(c)), c.var.identity));
    },
  },
  listDevices: {
    summary: "Every device",
    result: z.array(deviceViewSchema),
    handle: async (c, { hub }) => c.json(await hub.devices.list()),
  },
  startPairing: {
    summary: "Make a code for a new device: two minutes, one use",
    result: pairingStartedSchema,
    handle: async (c, { pairing }) => c.json(pairing.start(c.var.identity)),
  },
  seePairing: {
    summary: "Who claimed a code, and the number that both sides show",
    result: z.object({ name: z.string(), check: z.string() }),
    handle: async (c, { pairing }) => c.json(pairing.claimed(param(c, "code"))),
  },
  confirmPairing: {
    summary: "Confirm that the numbers are the same",
    body: pairingConfirmSchema,
    result: okSchema,
    handle: async (c, { pairing }) => {
      await pairing.confirm(readOrRefuse(pairingConfirmSchema, await readBody(c)), c.var.identity);
      return c.json({ ok: true });
    },
  },
} as const satisfies Partial<Record<OperationName, Route>>;

async function listApprovals(c: DoorContext, { hub, limits }: RouteRooms): Promise<Response> {
  const { after, limit = limits.pageSize } = readOrRefuse(pageSchema, c.req.query());
  const approvals = await hub.approvals.list({ limit, ...(after === undefined ? {} : { after }) }, c.var.identity);
  const last = approvals.at(-1);
  if (last && approvals.length >= Math.min(limit, limits.pageSize)) {
    c.header("Link", `</api/v1/approvals?after=${last.approvalId}&limit=${limit}>; rel="next"`);
  }
  return c.json(approvals);
}

function viewGrant({
  id,
  profileId,
  sessionId,
  atMs,
  expiresAtMs,
  kind,
  body,
}: GrantRecord): z.infer<typeof grantViewSchema> {
  const { pattern, command, root, by, why } = body;
  const told = { pattern, command, root, by, why };
  const texts = Object.entries(told).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const once = kind === "once" ? { once: true as const } : {};
  return { id, profile: profileId, session: sessionId, atMs, expiresAtMs, ...once, ...Object.fromEntries(texts) };
}

/** `absent` is what no body at all stands for. */
export async function readBody(c: DoorContext, absent?: object): Promise<unknown> {
  try {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    return bytes.length === 0 && absent !== undefined ? absent : readJson(bytes);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw new HubError("INVALID_PARAMS", "The body isn't valid JSON", { cause });
  }
}

function param(c: DoorContext, name: string): string {
  return c.req.param(name) ?? "";
}
