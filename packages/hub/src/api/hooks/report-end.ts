import { HubError } from "@countersign/core/errors";
import { CappedOutput } from "@countersign/jail";
import { outcomeSchema } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";
import { isFor, proposalIdOf, sessionOf } from "./call-id.ts";
import type { HookCall, HookQuestion, ReportedEnd } from "./calls/index.ts";

/**
 * Records how a use of a tool ended. If the hub ran it, its end is on record already. An end without a permit is only
 * logged.
 */
export async function reportEnd(call: HookCall, question: HookQuestion, hub: Hub): Promise<void> {
  const { agent, identity } = question;
  if (call.tool.kind === "inner") return;
  const permit = hub.permitsOut(identity, sessionOf(agent, call)).find((out) => isFor(call, out));
  if (permit) {
    if (call.ended) await hub.report(permit.id, bounded(call.ended, hub.config.tools.maxOutputBytes), identity);
    return;
  }
  const wasRefused = await isOver(call, question, hub);
  if (wasRefused)
    hub.log.warn({ agent, call: proposalIdOf(call) }, "an agent tells the end of what wasn't permitted to it");
}

const REFUSED = new Set(["denied", "expired", "cancelled", "not-started", "jail-refused"]);

/**
 * Whether the call was refused. Cancels a held permit that its command never claimed; a command in the background may
 * be reported before it claims.
 */
async function isOver(call: HookCall, { identity }: HookQuestion, hub: Hub): Promise<boolean> {
  if (call.callId === undefined) return false;
  const proposalId = proposalIdOf(call);
  try {
    const held = hub.permitsHeld(identity, undefined).some((permit) => isFor(call, permit));
    if (held && call.ended === undefined) return false;
    if (held) hub.proposals.cancel(identity, proposalId);
    const { outcome } = await hub.proposals.status(identity, proposalId);
    const known = outcomeSchema.safeParse(outcome);
    return known.success && REFUSED.has(known.data.kind);
  } catch (cause) {
    if (cause instanceof HubError && cause.code === "NOT_FOUND") return true;
    throw cause;
  }
}

function bounded({ stdout, stderr, ...end }: ReportedEnd, maxBytes: number): object {
  const [out, err] = [capped(stdout, maxBytes), capped(stderr, maxBytes)];
  const truncated = out.truncated || err.truncated;
  return {
    ...end,
    ...(out.text === "" ? {} : { stdout: out.text }),
    ...(err.text === "" ? {} : { stderr: err.text }),
    ...(truncated ? { truncated } : {}),
  };
}

function capped(text = "", maxBytes: number): { text: string; truncated: boolean } {
  const output = new CappedOutput(maxBytes);
  output.push(Buffer.from(text.toWellFormed()));
  return { text: output.toText(), truncated: output.truncated };
}
