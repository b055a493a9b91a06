import type { Identity } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import type { ExecApprovalRequestPayload, stopRunParamsSchema } from "@countersign/protocol/proposals";
import { type AgentInfo, METHODS, type MethodName } from "@countersign/protocol/wire";
import type * as z from "zod";
import type { Hub } from "../hub/index.ts";
import { type DoorName, mayDo, type OperationName, operationFor } from "../identity/index.ts";
import { fitOutcome, fitPreview } from "./fit-frame.ts";
import type { OutputSubscriptions } from "./output-subscriptions.ts";
import type { RunSubscription } from "./run-subscription.ts";
import type { StateSubscription } from "./state-subscription.ts";

export interface Caller {
  readonly identity: Identity;
  /** Aborted when the caller's connection is gone. */
  readonly gone: AbortSignal;
  readonly outputs: OutputSubscriptions;
  readonly runs: RunSubscription;
  readonly state: StateSubscription;
}

/** Returns the operation behind a method if this role may perform it. Every wire checks this first. */
export function authorize(wire: DoorName, method: string, { role }: Identity): OperationName {
  const operation = operationFor(wire, method);
  if (!operation) throw new HubError("METHOD_NOT_FOUND", `There's no method ${JSON.stringify(method.slice(0, 64))}`);
  if (!mayDo(role, operation)) throw new HubError("UNAUTHORIZED", `A token with the role ${role} may not do this`);
  return operation;
}

/** Validates params with the protocol's schema of that method. The error names the field. */
function readParams<M extends MethodName>(method: M, params: unknown): z.infer<(typeof METHODS)[M]["params"]> {
  return readOrRefuse(METHODS[method].params, params ?? {}) as z.infer<(typeof METHODS)[M]["params"]>;
}

/** Performs a method of the envelope dialect. */
export async function callMethod(
  hub: Hub,
  call: { method: MethodName; params: unknown; by: Caller; frameBytes: number },
) {
  const { identity, gone, outputs, runs, state } = call.by;
  switch (call.method) {
    case "proposeExec":
      return fitOutcome(await hub.proposals.propose(call.params, identity, gone), call.frameBytes);
    case "resolveExecApproval": {
      const { approvalId, ...answer } = readParams("resolveExecApproval", call.params);
      return await hub.answer(approvalId, answer, identity);
    }
    case "listExecApprovals": {
      const { after, limit = 100 } = readParams("listExecApprovals", call.params);
      const page = await hub.approvals.list({ limit, ...(after === undefined ? {} : { after }) }, identity);
      return fitPage(page, { limit, frameBytes: call.frameBytes });
    }
    case "listExpiredApprovals": {
      readParams("listExpiredApprovals", call.params);
      const limit = Number.POSITIVE_INFINITY;
      return { approvals: fitPage(await hub.lateAnswers.list(), { limit, frameBytes: call.frameBytes }).approvals };
    }
    case "allowIfAsksAgain": {
      const { approvalId, ...wish } = readParams("allowIfAsksAgain", call.params);
      return await hub.lateAnswers.allow(approvalId, wish, identity);
    }
    case "getExecApproval":
      return await hub.approvals.get(readParams("getExecApproval", call.params).approvalId, identity);
    case "revealExecApproval":
      return await hub.reveal(readParams("revealExecApproval", call.params).approvalId, identity);
    case "listScopes":
      return { scopes: [...(await hub.approvals.scopes(readParams("listScopes", call.params).approvalId))] };
    case "previewExec": {
      const { approvalId, ...wish } = readParams("previewExec", call.params);
      return fitPreview(await hub.preview(approvalId, wish, identity, gone), call.frameBytes);
    }
    case "cancelPreview":
      hub.previews.cancel(readParams("cancelPreview", call.params).approvalId, identity);
      return { ok: true };
    case "getHubInfo": {
      const { version, paused, pending } = await hub.state();
      // Agents don't get the number of pending approvals.
      return {
        hubDeviceId: hub.deviceId,
        version,
        paused: paused !== null,
        ...(identity.role === "agent" ? {} : { pending }),
      };
    }
    case "listAgents":
      return { agents: await listAgents(hub, identity) };
    case "verify":
      readParams("verify", call.params);
      return await hub.record.verify();
    case "getCheckpoint":
      readParams("getCheckpoint", call.params);
      return await hub.record.proofs.checkpoint();
    case "proveConsistency":
      return await hub.record.proofs.consistency(readParams("proveConsistency", call.params));
    case "proveReceipt": {
      const { id, size } = readParams("proveReceipt", call.params);
      return await hub.record.proofs.inclusion(id, size);
    }
    case "listRuns":
      readParams("listRuns", call.params);
      return { runs: hub.runs.list() };
    case "followState":
      readParams("followState", call.params);
      return await state.follow();
    case "unfollowState":
      readParams("unfollowState", call.params);
      state.unfollow();
      return { ok: true };
    case "followRuns":
      readParams("followRuns", call.params);
      return { runs: runs.follow() };
    case "unfollowRuns":
      readParams("unfollowRuns", call.params);
      runs.unfollow();
      return { ok: true };
    case "stopRun":
      stopRun(hub, readParams("stopRun", call.params), identity);
      return { ok: true };
    case "followOutput": {
      const { proposalId, after } = readParams("followOutput", call.params);
      await outputs.follow(proposalId, after, identity);
      return { ok: true };
    }
    case "unfollowOutput":
      outputs.unfollow(readParams("unfollowOutput", call.params).proposalId);
      return { ok: true };
    case "pause":
      return { ok: true, ...(await hub.pause(identity, readParams("pause", call.params))) };
    case "attend":
      hub.attention.say(readParams("attend", call.params), gone);
      return { ok: true };
    case "resume":
      await hub.resume(identity, readParams("resume", call.params).session);
      return { ok: true };
  }
}

/** Stops a run. Its agent learns who stopped it, and why. */
export function stopRun(hub: Hub, { key, reason }: z.infer<typeof stopRunParamsSchema>, { name }: Identity): void {
  hub.runs.stop(key, reason === undefined ? `Stopped by ${name}` : `Stopped by ${name}: ${reason}`);
}

/**
 * Returns as many cards as fit a frame, because commands can be long. A card that never fits is left out and hides none
 * after it.
 */
function fitPage(
  page: readonly ExecApprovalRequestPayload[],
  { limit, frameBytes }: { readonly limit: number; readonly frameBytes: number },
): { approvals: ExecApprovalRequestPayload[]; next?: string } {
  const budget = frameBytes - ENVELOPE_BYTES;
  const approvals: ExecApprovalRequestPayload[] = [];
  let left = budget;
  let seen = 0;
  for (const card of page) {
    const size = Buffer.byteLength(JSON.stringify(card)) + 1;
    if (size <= budget && size > left) break;
    seen += 1;
    if (size > budget) continue;
    approvals.push(card);
    left -= size;
  }
  const last = seen < page.length || page.length === limit ? page[seen - 1]?.approvalId : undefined;
  return { approvals, ...(last === undefined ? {} : { next: last }) };
}

/** Bytes for everything but the cards. */
const ENVELOPE_BYTES = 4 * 1024;

/** Lists sessions as agents: seed 001's `agentId` is a session's id. */
async function listAgents(hub: Hub, by: Identity): Promise<AgentInfo[]> {
  const sessions = await hub.sessions.list(by, MAX_AGENTS);
  return sessions.map(({ sessionKey, agentName, createdAtMs }) => ({ agentId: sessionKey, agentName, createdAtMs }));
}

const MAX_AGENTS = 1_000;
