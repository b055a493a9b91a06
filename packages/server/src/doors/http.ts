import type { ProblemCode, ProposalStatus } from "@countersign/sdk";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Hub } from "../hub/hub.ts";
import type { Tokens } from "../hub/tokens.ts";
import { HubError } from "../hub-error.ts";
import type { Limits } from "../limits.ts";
import type { Log } from "../log.ts";
import { type DoorVariables, onlyOurOwn, onlyWithToken } from "./guard.ts";
import { problemOf } from "./problem-of.ts";
import { readJson } from "./read-json.ts";

export interface HttpDoorRooms {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly log: Log;
  /** Filled in once the port is known. */
  readonly allowedHosts: ReadonlySet<string>;
}

type DoorContext = Context<DoorVariables>;

const STATUS: Record<ProblemCode, ContentfulStatusCode> = {
  NOT_FOUND: 404,
  INVALID_PARAMS: 400,
  METHOD_NOT_FOUND: 404,
  UNAUTHORIZED: 401,
  CONFLICT: 409,
  LIMIT: 429,
  INTERNAL: 500,
};

/** Longest `Prefer: wait=`, so that no proxy or client between us gives up first. */
const MAX_WAIT_S = 300;

/** HTTP: translates requests to the hub's calls and back. No policy, no approval state. */
export function httpDoor(rooms: HttpDoorRooms): Hono<DoorVariables> {
  const { hub, tokens, limits, log, allowedHosts } = rooms;
  const app = new Hono<DoorVariables>();
  app.onError((cause, c) => {
    const problem = problemOf(cause, log);
    return c.json({ error: problem }, STATUS[problem.code]);
  });
  app.notFound((c) => {
    throw new HubError("METHOD_NOT_FOUND", `${c.req.method} ${c.req.path} isn't served`);
  });
  app.use(onlyOurOwn(allowedHosts));
  app.get("/healthz", (c) => c.json({ ok: true }));

  const api = app.basePath("/api/v1");
  api.use(onlyWithToken(tokens));
  api.use(
    bodyLimit({
      maxSize: limits.frameBytes,
      onError: () => {
        throw new HubError("LIMIT", `The body is larger than ${limits.frameBytes} bytes (limit: frameBytes)`);
      },
    }),
  );
  api.post("/exec", (c) => exec(c, hub));
  api.get("/exec/:proposalId", async (c) => {
    const status = await hub.proposals.waitFor(c.var.identity, c.req.param("proposalId"), preferred(c).waitMs ?? 0);
    return c.json(status);
  });
  api.delete("/exec/:proposalId", (c) => {
    hub.proposals.cancel(c.var.identity, c.req.param("proposalId"));
    return c.json({ ok: true });
  });
  api.get("/approvals", (c) => listApprovals(c, rooms));
  api.get("/approvals/:id", async (c) => c.json(await hub.approvals.get(c.req.param("id"))));
  api.post("/approvals/:id/decision", async (c) =>
    c.json(await hub.answer(c.req.param("id"), await body(c), c.var.identity)),
  );
  api.post("/pause", async (c) => {
    await hub.pause(c.var.identity);
    return c.json({ ok: true });
  });
  api.post("/resume", async (c) => {
    await hub.resume(c.var.identity);
    return c.json({ ok: true });
  });
  api.get("/state", async (c) => c.json(await hub.state()));
  return app;
}

/** Waits for the outcome, or answers 202 with where to ask, as `Prefer` says (RFC 7240). */
async function exec(c: DoorContext, { proposals }: Hub): Promise<Response> {
  const { waitMs } = preferred(c);
  const params = await body(c);
  if (waitMs === undefined) return c.json(await proposals.propose(params, c.var.identity, c.req.raw.signal));
  const { proposalId } = await proposals.proposeDetached(params, c.var.identity);
  const status: ProposalStatus = await proposals.waitFor(c.var.identity, proposalId, waitMs);
  if (status.outcome !== undefined) return c.json(status.outcome);
  const headers = { Location: `/api/v1/exec/${encodeURIComponent(proposalId)}`, "Preference-Applied": "respond-async" };
  return c.json(status, 202, headers);
}

async function listApprovals(c: DoorContext, { hub, limits }: HttpDoorRooms): Promise<Response> {
  const limit = Number(c.req.query("limit") ?? limits.pageSize);
  if (!Number.isInteger(limit) || limit < 1)
    throw new HubError("INVALID_PARAMS", "limit: must be a whole number from 1");
  const after = c.req.query("after");
  const approvals = await hub.approvals.list({ limit, ...(after === undefined ? {} : { after }) });
  const last = approvals.at(-1);
  if (last && approvals.length >= Math.min(limit, limits.pageSize)) {
    c.header("Link", `</api/v1/approvals?after=${last.approvalId}&limit=${limit}>; rel="next"`);
  }
  return c.json(approvals);
}

async function body(c: DoorContext): Promise<unknown> {
  try {
    return readJson(new Uint8Array(await c.req.arrayBuffer()));
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw new HubError("INVALID_PARAMS", "The body isn't valid JSON", { cause });
  }
}

/** `respond-async` is a wait of nothing; without either preference the caller waits to the end. */
function preferred(c: DoorContext): { readonly waitMs?: number } {
  const prefer = c.req.header("prefer") ?? "";
  const seconds = /(?:^|[\s,;])wait=(\d{1,6})(?:$|[\s,;])/.exec(prefer)?.[1];
  if (seconds !== undefined) return { waitMs: Math.min(Number(seconds), MAX_WAIT_S) * 1000 };
  return /(?:^|[\s,;])respond-async(?:$|[\s,;])/.test(prefer) ? { waitMs: 0 } : {};
}
