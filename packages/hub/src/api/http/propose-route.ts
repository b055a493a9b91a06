import type { Hub } from "../../hub/index.ts";
import type { OutputStreams } from "./output-streams.ts";
import type { HttpContext } from "./route.ts";

/** Limit of `Prefer: wait=`, so that no proxy or client gives up first. */
const MAX_WAIT_S = 300;

/**
 * Waits for the outcome; or answers 202 with the address to poll, as `Prefer` says (RFC 7240); or streams the output if
 * the client accepts events.
 */
export async function proposeRoute(
  c: HttpContext,
  { proposals }: Hub,
  outputs: OutputStreams,
  params: unknown,
): Promise<Response> {
  if (c.req.header("accept")?.includes("text/event-stream")) return await outputs.propose(c, params);
  const waitMs = waitMsOf(c);
  if (waitMs === undefined) return c.json(await proposals.propose(params, c.var.identity, c.req.raw.signal));
  const { proposalId } = await proposals.proposeDetached(params, c.var.identity);
  const status = await proposals.waitFor(c.var.identity, proposalId, waitMs);
  if (status.outcome !== undefined) return c.json(status.outcome);
  const headers = { Location: `/api/v1/exec/${encodeURIComponent(proposalId)}`, "Preference-Applied": "respond-async" };
  return c.json(status, 202, headers);
}

/** Returns how long to wait: 0 for `respond-async`, undefined (until the end) without a preference. */
export function waitMsOf(c: HttpContext): number | undefined {
  const prefer = c.req.header("prefer") ?? "";
  const seconds = /(?:^|[\s,;])wait=(\d{1,6})(?:$|[\s,;])/.exec(prefer)?.[1];
  if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_S) * 1000;
  return /(?:^|[\s,;])respond-async(?:$|[\s,;])/.test(prefer) ? 0 : undefined;
}
