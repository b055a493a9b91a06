import { ExecdError } from "./execd-error.ts";
import type { Exchange } from "./http/exchange.ts";
import type { Route } from "./http/route.ts";

const WHY = "isolated sessions need an execd with an isolator; this one has none";

/** Newer builds' sessions with a workspace of their own: answered as by one whose image has no isolator. */
export function isolatedRoutes(): Route[] {
  return [
    ["GET", "/v1/isolated/capabilities", tellCapabilities],
    ["GET", "/v1/isolated/sessions", (exchange) => exchange.json({ sessions: [] })],
    ["POST", "/v1/isolated/session", refuse],
    ["GET", "/v1/isolated/session/:sessionId", notThere],
    ["DELETE", "/v1/isolated/session/:sessionId", notThere],
    ["POST", "/v1/isolated/session/:sessionId/run", notThere],
  ];
}

function tellCapabilities(exchange: Exchange): void {
  exchange.json({ available: false, message: WHY, commit_supported: false, diff_supported: false });
}

function refuse(): never {
  throw new ExecdError(501, "NOT_SUPPORTED", WHY);
}

function notThere(exchange: Exchange): never {
  throw new ExecdError(404, "CONTEXT_NOT_FOUND", `isolated session ${exchange.param("sessionId")} not found`);
}
