import type { Clock, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { ProblemCode } from "@countersign/protocol/proposals";
import { parseJson } from "@countersign/receipts";
import type { FrameCounts } from "@countersign/recorder";
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Hub } from "../../hub/index.ts";
import {
  type FailedLogins,
  type LastSeen,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Pairing,
  type Tokens,
} from "../../identity/index.ts";
import type { Reach } from "../../listen/index.ts";
import type { Notifications } from "../../notifications/index.ts";
import { denyWhatFails } from "../hooks/index.ts";
import { type HttpVariables, metricsText, onlyOurOwn, onlyWithToken, servePage, servePairing } from "../http/index.ts";
import { type Adapters, authorize, notJson, problemOf } from "../index.ts";
import type { McpHttpSessions } from "../mcp/index.ts";
import { openApi } from "./open-api.ts";
import { createRoutes } from "./routes.ts";

interface HttpOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly failedLogins: FailedLogins;
  readonly reach: Reach;
  readonly pairing: Pairing;
  readonly lastSeen: LastSeen;
  readonly adapters: Adapters;
  readonly mcp: McpHttpSessions;
  /** Directory of the built page. */
  readonly pageDir: string;
  readonly notifications: Notifications;
  /** Counts of emitters' frames by result. */
  readonly frames: FrameCounts;
}

const STATUS: Record<ProblemCode, ContentfulStatusCode> = {
  NOT_FOUND: 404,
  INVALID_PARAMS: 400,
  METHOD_NOT_FOUND: 404,
  UNAUTHORIZED: 401,
  CONFLICT: 409,
  LIMIT: 429,
  INTERNAL: 500,
};

/**
 * Creates the HTTP app: it translates requests to the hub's calls and back, without policy or approval state of its
 * own.
 */
export function createHttpApp(options: HttpOptions): Hono<HttpVariables> {
  const { hub, tokens, limits, clock, reach, failedLogins, pairing, lastSeen, adapters, notifications } = options;
  const routes = createRoutes({ hub, tokens, pairing, notifications, limits, clock, lastSeen, reach, adapters });
  const guard = onlyWithToken(tokens, failedLogins, lastSeen);
  const app = new Hono<HttpVariables>();
  app.onError((cause, c) => {
    const problem = problemOf(cause, hub.log);
    // The token is valid but not allowed to do this; another one might be.
    const status = problem.code === "UNAUTHORIZED" && c.var.identity ? 403 : STATUS[problem.code];
    return c.json({ error: problem }, status);
  });
  app.notFound((c) => {
    throw new HubError("METHOD_NOT_FOUND", `${c.req.method} ${c.req.path} isn't served`);
  });
  app.use("/api/v1/hooks/*", denyWhatFails());
  app.use(onlyOurOwn(reach.origins));
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/readyz", async (c) => {
    const problem = await hub.notReady();
    return problem === undefined ? c.json({ ok: true }) : c.json({ ok: false, problem }, 503);
  });
  app.get("/metrics", (c) =>
    c.text(metricsText(hub, options.frames), 200, { "content-type": "text/plain; version=0.0.4" }),
  );
  app.get("/api/v1/openapi.json", (c) => c.json(openApi(routes)));

  // Public: a phone needs it before it has a token.
  app.get("/ca.crt", (c) => {
    if (reach.caCertificate === undefined) throw new HubError("NOT_FOUND", "Nothing here rests on a CA of ours");
    return c.body(reach.caCertificate, 200, { "content-type": "application/x-x509-ca-cert" });
  });

  const limited = limitedTo(limits, "frameBytes");
  const hookLimited = limitedTo(limits, "hookBytes");
  app.use("/api/v1/*", (c, next) => (c.req.path.startsWith("/api/v1/hooks/") ? hookLimited : limited)(c, next));
  servePairing(app, pairing, failedLogins);
  app.use("/api/v1/*", guard);
  for (const [name, route] of Object.entries(routes)) {
    const [method = "", path = ""] = httpOf(name as OperationName).split(" ");
    app.on(method, path, async (c) => {
      // Reads the body first, because that can take time in which the token is revoked.
      if (method !== "GET") await c.req.arrayBuffer();
      if (!tokens.isLive(c.var.identity)) throw new HubError("UNAUTHORIZED", "The token was revoked");
      authorize("http", `${method} ${path}`, c.var.identity);
      return await route.handle(c);
    });
  }
  serveMcp(app, options.mcp, tokens, [limited, guard]);
  servePage(app, options.pageDir);
  return app;
}

/** Serves MCP's streamable HTTP. Uses the protocol's own errors where it has them. */
function serveMcp(
  app: Hono<HttpVariables>,
  mcp: McpHttpSessions,
  tokens: Tokens,
  before: readonly MiddlewareHandler<HttpVariables>[],
): void {
  for (const handler of before) app.use("/mcp", handler);
  app.on(["POST", "GET", "DELETE"], "/mcp", async (c) => {
    const text = c.req.method === "POST" ? await c.req.text() : undefined;
    if (!tokens.isLive(c.var.identity)) throw new HubError("UNAUTHORIZED", "The token was revoked");
    authorize("http", "POST /mcp", c.var.identity);
    return await mcp.handle(c.req.raw, text === undefined ? undefined : parsed(text), c.var.identity);
  });
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw notJson("The body", cause);
  }
}

function limitedTo(limits: Limits, name: "frameBytes" | "hookBytes") {
  return bodyLimit({
    maxSize: limits[name],
    onError: () => {
      throw new HubError("LIMIT", `The body is larger than ${limits[name]} bytes (limit: ${name})`);
    },
  });
}

function httpOf(name: OperationName): string {
  return (OPERATIONS[name] as Operation).http ?? "";
}
