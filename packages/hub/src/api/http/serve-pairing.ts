import { HubError, readOrRefuse } from "@countersign/core/errors";
import { pairingClaimSchema, pairingCollectSchema } from "@countersign/protocol/access";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Hono } from "hono";
import type { FailedLogins, Pairing } from "../../identity/index.ts";
import type { HttpVariables } from "./guard.ts";
import { type HttpContext, readBody } from "./route.ts";

/** Serves the two calls of a device that has no token yet. A wrong code counts as a failed login. */
export function servePairing(app: Hono<HttpVariables>, pairing: Pairing, failedLogins: FailedLogins): void {
  const guarded = async (c: HttpContext, work: () => object | Promise<object>): Promise<Response> => {
    const address = getConnInfo(c).remote.address ?? "";
    if (!failedLogins.mayTry(address)) throw new HubError("LIMIT", "Too many wrong codes; try again in a second");
    try {
      return c.json(await work());
    } catch (cause) {
      if (cause instanceof HubError && cause.code === "NOT_FOUND") failedLogins.failed(address);
      throw cause;
    }
  };
  app.post("/api/v1/pairing/claim", async (c) => {
    const claim = readOrRefuse(pairingClaimSchema, await readBody(c));
    return await guarded(c, () => pairing.claim(claim));
  });
  app.post("/api/v1/pairing/collect", async (c) => {
    const collect = readOrRefuse(pairingCollectSchema, await readBody(c));
    return await guarded(c, () => pairing.collect({ ...collect, gone: c.req.raw.signal }));
  });
}
