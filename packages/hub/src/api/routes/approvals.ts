import type { Limits } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { okSchema } from "@countersign/protocol/access";
import {
  allowExpiredApprovalSchema,
  answerResultSchema,
  answerSchema,
  execApprovalRequestSchema,
  expiredApprovalGrantSchema,
  pastAnswersSchema,
  previewSchema,
  previewWishSchema,
  scopeTrialSchema,
  tryScopeSchema,
} from "@countersign/protocol/proposals";
import { listScopesResultSchema } from "@countersign/protocol/wire";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { OperationName } from "../../identity/index.ts";
import { type HttpContext, param, type Route, readBody } from "../http/index.ts";

const pageSchema = z.object({
  after: z.string().max(128).optional(),
  limit: z.coerce.number().int().min(1).optional(),
});

/** Routes for pending approvals and their answers. Methods and paths are in the table of operations. */
export function approvalRoutes(hub: Hub, limits: Limits) {
  return {
    listApprovals: {
      summary: "What waits, oldest first; further pages by Link: rel=next",
      query: pageSchema,
      result: z.array(execApprovalRequestSchema),
      handle: (c) => listApprovals(c, hub, limits),
    },
    getApproval: {
      summary: "One approval that waits",
      result: execApprovalRequestSchema,
      handle: async (c) => c.json(await hub.approvals.get(param(c, "id"), c.var.identity)),
    },
    revealApproval: {
      summary: "One approval that waits, with nothing hidden; that you looked is recorded",
      result: execApprovalRequestSchema,
      handle: async (c) => c.json(await hub.reveal(param(c, "id"), c.var.identity)),
    },
    listScopes: {
      summary: "The ways to allow it more than once, the narrowest first",
      result: listScopesResultSchema,
      handle: async (c) => c.json({ scopes: [...(await hub.approvals.scopes(param(c, "id")))] }),
    },
    answer: {
      summary: "Answer an approval",
      body: answerSchema,
      result: answerResultSchema,
      handle: async (c) => c.json(await hub.answer(param(c, "id"), await readBody(c), c.var.identity)),
    },
    listExpired: {
      summary: "What nobody answered in time, newest first, as long as it can be allowed for when it asks again",
      result: z.array(execApprovalRequestSchema),
      handle: async (c) => c.json(await hub.lateAnswers.list()),
    },
    allowLate: {
      summary:
        "Allow an approval that has expired for the next time that the same session asks the same: once, 30 minutes",
      body: allowExpiredApprovalSchema,
      result: expiredApprovalGrantSchema,
      handle: async (c) => {
        const wish = readOrRefuse(allowExpiredApprovalSchema, await readBody(c, {}));
        return c.json(await hub.lateAnswers.allow(param(c, "id"), wish, c.var.identity));
      },
    },
    preview: {
      summary: "Run it where whatever it writes is thrown away, without network, and tell what it did; answers nothing",
      body: previewWishSchema,
      result: previewSchema,
      handle: async (c) => {
        const wish = readOrRefuse(previewWishSchema, await readBody(c, {}));
        return c.json(await hub.preview(param(c, "id"), wish, c.var.identity, c.req.raw.signal));
      },
    },
    cancelPreview: {
      summary: "End a preview that runs; the approval waits as before",
      result: okSchema,
      handle: async (c) => {
        hub.previews.cancel(param(c, "id"), c.var.identity);
        return c.json({ ok: true });
      },
    },
    pastAnswers: {
      summary: "How people answered before what is called the same, here and elsewhere",
      result: pastAnswersSchema,
      handle: async (c) => c.json(await hub.similarAnswers.pastAnswers(param(c, "id"))),
    },
    tryScope: {
      summary:
        "What an answer with this scope would save, which questions of the past it would have spared, and what else it would let through; saves nothing",
      body: tryScopeSchema,
      result: scopeTrialSchema,
      handle: async (c) => {
        const { scope } = readOrRefuse(tryScopeSchema, await readBody(c));
        return c.json(await hub.similarAnswers.tryScope(param(c, "id"), scope, c.req.raw.signal));
      },
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}

async function listApprovals(c: HttpContext, hub: Hub, limits: Limits): Promise<Response> {
  const { after, limit = limits.pageSize } = readOrRefuse(pageSchema, c.req.query());
  const approvals = await hub.approvals.list({ limit, ...(after === undefined ? {} : { after }) }, c.var.identity);
  const last = approvals.at(-1);
  if (last && approvals.length >= Math.min(limit, limits.pageSize)) {
    c.header("Link", `</api/v1/approvals?after=${last.approvalId}&limit=${limit}>; rel="next"`);
  }
  return c.json(approvals);
}
