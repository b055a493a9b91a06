import type { Identity } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import {
  chatAbortParamsSchema,
  chatHistoryParamsSchema,
  chatListParamsSchema,
  chatResumeParamsSchema,
  chatSendParamsSchema,
  createSessionParamsSchema,
} from "@countersign/protocol/hub";
import {
  followOutputParamsSchema,
  outsideIdSchema,
  stopRunParamsSchema,
  unfollowOutputParamsSchema,
} from "@countersign/protocol/proposals";
import {
  listReceiptsParamsSchema,
  proveConsistencyParamsSchema,
  proveReceiptParamsSchema,
  reportParamsSchema,
  rotateKeyParamsSchema,
} from "@countersign/protocol/records";
import * as z from "zod";
import type { Chats } from "../../agent/index.ts";
import { askedEvent } from "../../events/index.ts";
import type { Hub } from "../../hub/index.ts";
import { type OutputSubscriptions, stopRun } from "../index.ts";
import type { ChatSubscriptions } from "./chat-subscriptions.ts";

const MAX_LISTED = 1_000;
const limitSchema = z.number().int().min(1).max(MAX_LISTED).default(100);

const PARAMS = {
  "health.check": z.strictObject({}),
  "agents.list": z.strictObject({}),
  "sessions.create": createSessionParamsSchema,
  "sessions.list": z.strictObject({ limit: limitSchema }),
  "sessions.get": z.strictObject({ sessionKey: outsideIdSchema }),
  "chat.list": chatListParamsSchema,
  "chat.send": chatSendParamsSchema,
  "chat.abort": chatAbortParamsSchema,
  "chat.history": chatHistoryParamsSchema,
  "chat.resume": chatResumeParamsSchema,
  "exec.approve": z.strictObject({ approvalId: z.uuid() }),
  "exec.deny": z.strictObject({ approvalId: z.uuid(), reason: z.string().max(1024).optional() }),
  "exec.list": z.strictObject({ limit: limitSchema }),
  "exec.running": z.strictObject({}),
  "exec.stop": stopRunParamsSchema,
  "exec.follow": followOutputParamsSchema,
  "exec.unfollow": unfollowOutputParamsSchema,
  "receipts.list": listReceiptsParamsSchema,
  "receipts.get": z.strictObject({ id: z.string().max(128) }),
  "receipts.report": reportParamsSchema,
  "receipts.verify": z.strictObject({}),
  "receipts.checkpoint": z.strictObject({}),
  "receipts.consistency": proveConsistencyParamsSchema,
  "receipts.prove": proveReceiptParamsSchema,
  "receipts.rotate": rotateKeyParamsSchema,
  "audit.tail": z.strictObject({ limit: limitSchema }),
} as const;
type RpcMethod = keyof typeof PARAMS;

/** Bytes for everything but the page. */
const FRAME_SPARE = 4 * 1024;

export interface RpcCall {
  readonly method: string;
  readonly params: unknown;
  readonly identity: Identity;
  readonly outputs: OutputSubscriptions;
  readonly chats: ChatSubscriptions;
  readonly frameBytes: number;
}

/** Performs a method of seed 003. The role was checked before. */
export async function callRpc(hub: Hub, chats: Chats, call: RpcCall): Promise<unknown> {
  const { method, params, identity, outputs, chats: subscriptions } = call;
  const read = <M extends RpcMethod>(name: M): z.infer<(typeof PARAMS)[M]> => readParams(name, params);
  switch (method as RpcMethod) {
    case "health.check": {
      read("health.check");
      const { version, paused } = await hub.state();
      return { ok: true, version, paused: paused !== null };
    }
    case "agents.list":
      read("agents.list");
      return { agents: chats.list() };
    case "sessions.create":
      return await chats.create(identity, read("sessions.create"));
    case "sessions.list":
      return { sessions: await hub.sessions.list(identity, read("sessions.list").limit) };
    case "sessions.get":
      return await hub.sessions.get(identity, read("sessions.get").sessionKey);
    case "chat.list":
      return { chats: await chats.used(identity, read("chat.list")) };
    case "chat.send": {
      const sent = read("chat.send");
      subscriptions.refuseIfFull(sent.sessionKey);
      const run = await chats.send(identity, sent);
      subscriptions.listen(sent.sessionKey);
      return run;
    }
    case "chat.abort":
      return { ok: true, ...(await chats.abort(identity, read("chat.abort"))) };
    case "chat.history":
      return await chats.history(identity, read("chat.history"), call.frameBytes - FRAME_SPARE);
    case "chat.resume": {
      const wanted = read("chat.resume");
      return await chats.resume(identity, wanted, () => subscriptions.listen(wanted.sessionKey));
    }
    case "exec.approve":
      return await hub.answer(read("exec.approve").approvalId, { decision: "allow-once" }, identity);
    case "exec.deny": {
      const { approvalId, reason } = read("exec.deny");
      return await hub.answer(approvalId, { decision: "deny", ...(reason === undefined ? {} : { reason }) }, identity);
    }
    case "exec.list":
      return { approvals: (await hub.approvals.list(read("exec.list"), identity)).map(askedEvent) };
    case "exec.running":
      read("exec.running");
      return { runs: hub.runs.list() };
    case "exec.stop":
      stopRun(hub, read("exec.stop"), identity);
      return { ok: true };
    case "exec.follow": {
      const { proposalId, after } = read("exec.follow");
      await outputs.follow(proposalId, after, identity);
      return { ok: true };
    }
    case "exec.unfollow":
      outputs.unfollow(read("exec.unfollow").proposalId);
      return { ok: true };
    case "receipts.list":
      return await hub.record.receipts(read("receipts.list"));
    case "receipts.get":
      return await hub.record.receipt(read("receipts.get").id);
    case "receipts.report":
      return await hub.record.report(read("receipts.report"));
    case "receipts.verify":
      read("receipts.verify");
      return await hub.record.verify();
    case "receipts.checkpoint":
      read("receipts.checkpoint");
      return await hub.record.proofs.checkpoint();
    case "receipts.consistency":
      return await hub.record.proofs.consistency(read("receipts.consistency"));
    case "receipts.prove": {
      const { id, size } = read("receipts.prove");
      return await hub.record.proofs.inclusion(id, size);
    }
    case "receipts.rotate":
      read("receipts.rotate");
      return await hub.rotateKey(identity);
    case "audit.tail":
      return { events: await hub.auditTail(read("audit.tail").limit) };
  }
}

function readParams<M extends RpcMethod>(method: M, params: unknown): z.infer<(typeof PARAMS)[M]> {
  return readOrRefuse(PARAMS[method], params ?? {}) as z.infer<(typeof PARAMS)[M]>;
}
