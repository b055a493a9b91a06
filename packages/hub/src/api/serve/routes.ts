import type { Clock, Limits } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { okSchema } from "@countersign/protocol/access";
import { hubStateSchema, proposalStatusSchema } from "@countersign/protocol/hub";
import {
  endSchema,
  outcomeSchema,
  outputEventSchema,
  problemSchema,
  proposeExecSchema,
  runViewSchema,
} from "@countersign/protocol/proposals";
import { pauseParamsSchema, pauseResultSchema, resumeParamsSchema } from "@countersign/protocol/wire";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { LastSeen, OperationName, Pairing, Tokens } from "../../identity/index.ts";
import type { Reach } from "../../listen/index.ts";
import type { Notifications } from "../../notifications/index.ts";
import { hookQuerySchema, hookRoute } from "../hooks/index.ts";
import { OutputStreams, param, proposeRoute, type Route, readBody, waitMsOf } from "../http/index.ts";
import type { Adapters } from "../index.ts";
import {
  approvalRoutes,
  connectRoutes,
  historyRoutes,
  notificationRoutes,
  policyRoutes,
  receiptRoutes,
  sandboxRoutes,
} from "../routes/index.ts";

const STREAMED = { output: outputEventSchema, end: endSchema.nullable(), problem: problemSchema };

interface RouteOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly pairing: Pairing;
  readonly notifications: Notifications;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly lastSeen: LastSeen;
  readonly reach: Reach;
  readonly adapters: Adapters;
}

/** Creates all HTTP routes. Methods and paths are in the table of operations. */
export function createRoutes(options: RouteOptions) {
  const { hub, tokens, pairing, notifications, limits, clock, lastSeen, reach, adapters } = options;
  const outputs = new OutputStreams(hub, tokens, clock);
  return {
    propose: {
      summary:
        "Propose a command and wait for its outcome; with Prefer: respond-async or wait=N, 202 and where to ask; with Accept: text/event-stream, its output as it comes",
      body: proposeExecSchema,
      result: outcomeSchema,
      later: proposalStatusSchema,
      events: STREAMED,
      handle: async (c) => await proposeRoute(c, hub, outputs, await readBody(c)),
    },
    hook: {
      summary:
        "Claude Code's HTTP hook: answers its event as its hooks are answered, and denies with 200 whatever goes wrong, since Claude Code goes on after any other status",
      query: hookQuerySchema,
      body: z.looseObject({ hook_event_name: z.string() }),
      result: z.looseObject({}),
      handle: async (c) => await hookRoute(c, hub, clock, await readBody(c)),
    },
    proposalStatus: {
      summary: "What became of a proposal; Prefer: wait=N waits for its end",
      result: proposalStatusSchema,
      handle: async (c) => {
        return c.json(await hub.proposals.waitFor(c.var.identity, param(c, "proposalId"), waitMsOf(c) ?? 0));
      },
    },
    listRuns: {
      summary: "What runs now, the oldest first; its key is what it is followed and ended by",
      result: z.array(runViewSchema),
      handle: async (c) => c.json(hub.runs.list()),
    },
    followOutput: {
      summary: "What a run writes, as server-sent events while it runs; Last-Event-ID goes on after that event",
      events: STREAMED,
      handle: async (c) => await outputs.follow(c, param(c, "proposalId")),
    },
    withdraw: {
      summary: "Withdraw a proposal: waiting it is cancelled, running it is ended",
      result: okSchema,
      handle: async (c) => {
        hub.proposals.cancel(c.var.identity, param(c, "proposalId"));
        return c.json({ ok: true });
      },
    },
    ...approvalRoutes(hub, limits),
    pause: {
      summary: "Deny everything new, and allow nothing that waits; with kill, also end what runs",
      body: pauseParamsSchema,
      result: pauseResultSchema,
      handle: async (c) => {
        const params = readOrRefuse(pauseParamsSchema, await readBody(c, {}));
        return c.json({ ok: true, ...(await hub.pause(c.var.identity, params)) });
      },
    },
    resume: {
      summary: "End the pause; with a session, only that session's, which its denials had paused",
      body: resumeParamsSchema,
      result: okSchema,
      handle: async (c) => {
        const { session } = readOrRefuse(resumeParamsSchema, await readBody(c, {}));
        await hub.resume(c.var.identity, session);
        return c.json({ ok: true });
      },
    },
    ...policyRoutes(hub),
    ...historyRoutes(hub),
    ...notificationRoutes(notifications),
    ...receiptRoutes({ hub, tokens, clock, limits }),
    ...sandboxRoutes(hub, clock),
    state: {
      summary: "What goes on, and what a person should look at",
      result: hubStateSchema,
      handle: async (c) => c.json(await hub.state()),
    },
    ...connectRoutes({ hub, tokens, lastSeen, pairing, reach, adapters }),
  } as const satisfies Partial<Record<OperationName, Route>>;
}
