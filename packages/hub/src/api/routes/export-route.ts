import type { Clock, Limits } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { EXPORTED_RECEIPTS_HEADER, exportReceiptsParamsSchema } from "@countersign/protocol/records";
import type { Hub } from "../../hub/index.ts";
import type { Tokens } from "../../identity/index.ts";
import { exportStream, type HttpContext } from "../http/index.ts";

const TYPES = { jsonl: "application/x-ndjson", bundle: "application/json" } as const;
const NAMES = { jsonl: "receipts.jsonl", bundle: "receipts.json" } as const;

/**
 * The ledger as a file. It is read no faster than it is taken, and ends as broken off, never as whole, where it can't be read, nobody takes
 * it, or the token is revoked: half of it must not look like all.
 */
export async function exportRoute(
  c: HttpContext,
  { hub, tokens, clock, limits }: { hub: Hub; tokens: Tokens; clock: Clock; limits: Limits },
): Promise<Response> {
  const params = readOrRefuse(exportReceiptsParamsSchema, c.req.query());
  const { identity } = c.var;
  const { count, parts, over } = await hub.record.export(params, identity);
  const left = new AbortController();
  const forget = tokens.onRevoked((id) => {
    if (id === identity.id) left.abort(new HubError("UNAUTHORIZED", "The token was revoked"));
  });
  const end = () => {
    forget();
    over();
  };
  c.req.raw.signal.addEventListener("abort", () => left.abort(), { once: true });
  // Whoever doesn't read isn't told by an end of the stream: it has no room for one.
  left.signal.addEventListener("abort", () => c.env.outgoing.destroy(), { once: true });
  return new Response(exportStream(parts, { left, clock, idleMs: limits.exportIdleMs, end }), {
    headers: {
      "content-type": TYPES[params.format],
      "content-disposition": `attachment; filename="${NAMES[params.format]}"`,
      "cache-control": "no-store",
      [EXPORTED_RECEIPTS_HEADER]: `${count}`,
    },
  });
}
