import type { Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { HttpBindings } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import type { FailedLogins, LastSeen, Tokens } from "../../identity/index.ts";
import type { AllowedOrigins } from "../../listen/index.ts";

export interface HttpVariables {
  Bindings: HttpBindings;
  Variables: { identity: Identity };
}

/**
 * Rejects a request that isn't meant for this hub: another Host (DNS rebinding), or a browser's request from another
 * page (another port of localhost is another origin). Absent headers mean that it isn't a browser.
 */
export function onlyOurOwn(origins: AllowedOrigins): MiddlewareHandler {
  return async (c, next) => {
    const refusal = origins.refuse({ host: c.req.header("host"), origin: c.req.header("origin") });
    if (refusal === "host") throw new HubError("UNAUTHORIZED", "This Host isn't served here");
    if (refusal === "origin") throw new HubError("UNAUTHORIZED", "This Origin isn't served here");
    if (c.req.method !== "GET" && c.req.method !== "HEAD") {
      const site = c.req.header("sec-fetch-site");
      if (site !== undefined && site !== "same-origin")
        throw new HubError("UNAUTHORIZED", "Requests from other sites aren't taken");
      // The end of an MCP session has no body, and so no content type.
      if (c.req.method === "DELETE" && c.req.path === "/mcp") return await next();
      const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (type !== "application/json") throw new HubError("INVALID_PARAMS", "Content-Type must be application/json");
    }
    await next();
  };
}

export function onlyWithToken(
  tokens: Tokens,
  failedLogins: FailedLogins,
  lastSeen: LastSeen,
): MiddlewareHandler<HttpVariables> {
  return async (c, next) => {
    const token = /^Bearer ([\x21-\x7e]+)$/.exec(c.req.header("authorization") ?? "")?.[1];
    const address = getConnInfo(c).remote.address ?? "";
    const identity =
      token === undefined ? undefined : failedLogins.attempt(address, token, () => tokens.identify(token));
    if (identity === "limited") throw new HubError("LIMIT", "Too many wrong tokens; try again in a second");
    if (!identity) throw new HubError("UNAUTHORIZED", "A valid token is needed: Authorization: Bearer …");
    lastSeen.mark(identity.id);
    c.set("identity", identity);
    await next();
  };
}
