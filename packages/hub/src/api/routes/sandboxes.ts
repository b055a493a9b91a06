import type { Clock } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { okSchema } from "@countersign/protocol/access";
import {
  listSandboxesParamsSchema,
  listSandboxesResultSchema,
  proposeSandboxCallSchema,
  reportSandboxCallSchema,
  sandboxCallAnswerSchema,
  sandboxStoryParamsSchema,
  sandboxStorySchema,
} from "@countersign/protocol/records";
import type { Hub } from "../../hub/index.ts";
import type { OperationName } from "../../identity/index.ts";
import { param, type Route, readBody } from "../http/index.ts";
import { proposeSandboxCall, reportSandboxCall } from "../index.ts";

/** Routes for sandboxes. Methods and paths are in the table of operations. */
export function sandboxRoutes(hub: Hub, clock: Clock) {
  return {
    listSandboxes: {
      summary:
        "The sandboxes on record, those that began last first: what was done in them, how much of that went lost, and which terminals have no end",
      query: listSandboxesParamsSchema,
      result: listSandboxesResultSchema,
      handle: async (c) => c.json(await hub.record.sandboxes(readOrRefuse(listSandboxesParamsSchema, c.req.query()))),
    },
    tellSandbox: {
      summary:
        "What happened in a sandbox, told from inside and seen from outside, in the order in which it began; a page of it",
      query: sandboxStoryParamsSchema.omit({ id: true }),
      result: sandboxStorySchema,
      handle: async (c) => {
        const params = readOrRefuse(sandboxStoryParamsSchema, { ...c.req.query(), id: param(c, "id") });
        return c.json(await hub.record.sandbox(params));
      },
    },
    proposeSandboxCall: {
      summary:
        "A call that a gate in front of a sandbox's execd holds: answered with a permit for this one call, or with why there is none; the gate going away withdraws it",
      body: proposeSandboxCallSchema.omit({ id: true }),
      result: sandboxCallAnswerSchema,
      handle: async (c) => {
        const asking = { identity: c.var.identity, gone: c.req.raw.signal };
        return c.json(await proposeSandboxCall(withId(await readBody(c), param(c, "id")), asking, hub, clock));
      },
    },
    reportSandboxCall: {
      summary: "How a permitted call into a sandbox ended, as the gate saw it; once",
      body: reportSandboxCallSchema.pick({ outcome: true }),
      result: okSchema,
      handle: async (c) => {
        const named = withId(await readBody(c), param(c, "id"));
        await reportSandboxCall({ ...named, permit: param(c, "permit") }, c.var.identity, hub);
        return c.json({ ok: true });
      },
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}

/** Sets the sandbox of the path, over any in the body. */
function withId(body: unknown, id: string): object {
  return { ...(typeof body === "object" && body !== null ? body : {}), id };
}
