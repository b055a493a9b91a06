import { sha256Hex } from "@countersign/core/base";
import { canonicalize, type Json } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import type { Permit } from "../../permits/index.ts";
import type { HookAgent, HookCall } from "./calls/index.ts";

const MAX_ID = 128;
const FINGERPRINT = 32;

/**
 * Returns the same id for the same use of a tool, however often its hook is called. Agents that don't name their calls
 * repeat the same input, so their ids differ, and a report counts for the oldest open one.
 */
export function proposalIdOf(call: HookCall): string {
  return call.callId === undefined ? `${fingerprintOf(call)}/${uuidv7()}` : namedId(call.sessionId, call.callId);
}

/** Whether the permit is for this use of a tool. */
export function isFor(call: HookCall, { assessment: { proposal } }: Permit): boolean {
  return call.callId === undefined
    ? proposal.proposalId.startsWith(`${fingerprintOf(call)}/`)
    : proposal.proposalId === namedId(call.sessionId, call.callId);
}

function namedId(sessionId: string, callId: string): string {
  const id = `${sessionId}/${callId}`;
  return id.length <= MAX_ID ? id : sha256Hex(id);
}

function fingerprintOf({ toolName, toolInput }: HookCall): string {
  return sha256Hex(canonicalize([toolName, toolInput as Json])).slice(0, FINGERPRINT);
}

/** Returns the session id: the agent's name and its own id, so that two agents never share a session. */
export function sessionOf(agent: HookAgent, { sessionId }: Pick<HookCall, "sessionId">): string {
  return `${agent}:${sessionId}`;
}
