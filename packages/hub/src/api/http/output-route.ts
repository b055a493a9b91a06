import type { Clock } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { followOutputParamsSchema } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";
import type { Tokens } from "../../identity/index.ts";
import { followOutput, withoutOutput } from "../../runs/index.ts";
import { problemOf } from "../index.ts";
import { eventStream } from "./event-stream.ts";
import type { DoorContext } from "./route.ts";

export interface OutputRooms {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly clock: Clock;
}

/** What a run writes, from the start or from `Last-Event-ID` on. */
export async function outputRoute(c: DoorContext, proposalId: string, rooms: OutputRooms): Promise<Response> {
  const { hub, clock } = rooms;
  const { after } = readOrRefuse(followOutputParamsSchema, { proposalId, after: c.req.header("last-event-id") });
  return await untilOver(c, rooms, async (signal, over) => {
    const { events, outcome } = await hub.followers.follow(proposalId, c.var.identity, { after, signal });
    const end = async () => (signal.aborted ? undefined : ({ event: "end", data: outcome() ?? null } as const));
    return eventStream({ events, end, over }, clock);
  });
}

/** Proposes, and tells what the run writes and how it ended. */
export async function proposeStreamed(c: DoorContext, params: unknown, rooms: OutputRooms): Promise<Response> {
  const { hub, clock } = rooms;
  return await untilOver(c, rooms, async (signal, over) => {
    const { output, outcome } = await hub.proposals.proposeFollowed(params, c.var.identity, signal);
    const end = () =>
      outcome.then(
        (known) => ({ event: "end", data: withoutOutput(known) }) as const,
        (cause) => (signal.aborted ? undefined : ({ event: "problem", data: problemOf(cause, hub.log) } as const)),
      );
    return eventStream({ events: followOutput(output, { signal }), end, over }, clock);
  });
}

/** The signal comes when the connection is closed or its token revoked. */
async function untilOver(
  c: DoorContext,
  { tokens }: OutputRooms,
  open: (signal: AbortSignal, over: () => void) => Promise<Response>,
): Promise<Response> {
  const left = new AbortController();
  const over = () => left.abort();
  const forget = tokens.onRevoked((id) => {
    if (id === c.var.identity.id) over();
  });
  left.signal.addEventListener("abort", forget, { once: true });
  c.req.raw.signal.addEventListener("abort", over, { once: true });
  try {
    return await open(left.signal, over);
  } catch (cause) {
    over();
    throw cause;
  }
}
