import { DEVICE_TYPES } from "@countersign/vocabulary";
import * as z from "zod";
import { approvalDecisionSchema } from "./approval.ts";
import { problemSchema } from "./problem.ts";
import { outsideIdSchema } from "./proposal.ts";

/** Largest frame of either dialect, in bytes of UTF-8. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** The envelope dialect (at `/ws`): every frame is one of these. */
export const RegisterAction = "register";
export const RegisteredAction = "registered";
export const RequestAction = "request";
export const ResponseAction = "response";
export const ExecApprovalRequestAction = "exec-approval-request";
/** The card stands for another number of the same question. */
export const ExecApprovalCountedAction = "exec-approval-counted";
export const ExecApprovalResolvedAction = "exec-approval-resolved";
export const ExecApprovalExpiredAction = "exec-approval-expired";
/** To those who asked for it with `followOutput`. */
export const ExecOutputAction = "exec-output";
export const ExecOutputEndedAction = "exec-output-ended";
/** To those who asked for it with `followRuns`. */
export const ExecRunStartedAction = "exec-run-started";
export const ExecRunEndedAction = "exec-run-ended";
/** To those who asked for it with `followState`. */
export const HubStateAction = "hub-state";
/** The ledger has a new checkpoint. */
export const LedgerCheckpointAction = "ledger-checkpoint";
/** A policy isn't what it was; whoever shows it looks again. */
export const PolicyChangedAction = "policy-changed";
export const SendErrorAction = "send-error";

/** Where `register` goes, and who answers for devices that aren't there. */
export const GATEWAY = "gateway";

export const envelopeSchema = z.strictObject({
  id: z.uuid(),
  from: outsideIdSchema,
  to: outsideIdSchema,
  action: z.string().min(1).max(64),
  payload: z.unknown(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

export const deviceTypeSchema = z.enum(DEVICE_TYPES);

export const registerPayloadSchema = z.strictObject({
  deviceType: deviceTypeSchema,
  token: z.string().min(1).max(512),
});

export const registeredPayloadSchema = z.object({
  ok: z.literal(true),
  deviceId: z.string(),
  hubDeviceId: z.string(),
});
export type RegisteredPayload = z.infer<typeof registeredPayloadSchema>;

export const requestPayloadSchema = z.strictObject({
  requestId: outsideIdSchema,
  method: z.string().min(1).max(64),
  params: z.unknown().optional(),
});
export type RequestPayload = z.infer<typeof requestPayloadSchema>;

export const responsePayloadSchema = z.discriminatedUnion("ok", [
  z.object({ requestId: z.string(), ok: z.literal(true), payload: z.unknown() }),
  z.object({ requestId: z.string(), ok: z.literal(false), error: problemSchema }),
]);
export type ResponsePayload = z.infer<typeof responsePayloadSchema>;

export const sendErrorCodeSchema = z.enum(["DEVICE_NOT_FOUND", "NOT_REGISTERED", "INVALID_MESSAGE"]);
export type SendErrorCode = z.infer<typeof sendErrorCodeSchema>;

/** `messageId` is the id of the frame that it answers, when that could be read; `requestId` likewise. */
export const sendErrorPayloadSchema = z.object({
  code: sendErrorCodeSchema,
  message: z.string(),
  messageId: z.string().optional(),
  requestId: z.string().optional(),
});
export type SendErrorPayload = z.infer<typeof sendErrorPayloadSchema>;

/** Who decided what, for everyone else who saw the question. */
export const approvalClosedSchema = z.object({
  approvalId: z.string(),
  /** The person's answer; absent when nobody answered. */
  decision: approvalDecisionSchema.optional(),
  /** What or who settled it: a closed list, see `deciderSchema`. */
  by: z.string(),
  /** The person's name. */
  name: z.string().optional(),
  /** What the device that signed it is called. */
  device: z.string().optional(),
  reason: z.string().optional(),
});
export type ApprovalClosed = z.infer<typeof approvalClosedSchema>;

/** How many that wait share a card; it is 1 again when the others have ended. */
export const approvalCountedSchema = z.object({ approvalId: z.string(), count: z.number().int().min(1) });
export type ApprovalCounted = z.infer<typeof approvalCountedSchema>;

/** Close codes of the sockets, both dialects. */
export const CLOSE = {
  /** No valid token in time, or a wrong one, or it was revoked. */
  unauthorized: 4401,
  /** The same device connected again; only the newest connection is served. */
  replaced: 4409,
  /** Too many frames or connections. */
  rateLimited: 4429,
  /** The other side doesn't read what it is sent. */
  tooSlow: 4413,
  /** A frame that isn't text, or too large for us to read. */
  badFrame: 4400,
  /** What a gateway passed on was changed, repeated, lost or out of order. */
  tampered: 4422,
} as const;
