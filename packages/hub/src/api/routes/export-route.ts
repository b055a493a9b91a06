import type { Clock, Limits } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { EXPORTED_RECEIPTS_HEADER, exportReceiptsParamsSchema } from "@countersign/protocol/records";
import type { Hub } from "../../hub/index.ts";
import type { Tokens } from "../../identity/index.ts";
import { exportStream, type HttpContext } from "../http/index.ts";

const TYPES = { jsonl: "application/x-ndjson", bundle: "application/json" } as const;
const NAMES = { jsonl: "receipts.jsonl", bundle: "receipts.json" } as const;

/**
 * Streams the ledger as a file, no faster than it is taken. On a read error, an idle reader or a revoked token the
 * connection breaks off, so that half a file can't pass for a whole one.
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
  // Destroys the socket: an idle reader's buffer is full, so an end of the stream wouldn't arrive.
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
