import {
  type Envelope,
  ExecApprovalExpiredAction,
  ExecApprovalRequestAction,
  ExecApprovalResolvedAction,
  execApprovalRequestSchema,
  MAX_FRAME_BYTES,
} from "@countersign/protocol/proposals";
import * as z from "zod";
import { GatewayError } from "./gateway-error.ts";

/** What is read is judged more kindly than what is sent: a newer hub's extra keys must not make its frames unreadable. */
const readableSchema = z.object({
  id: z.string().max(128),
  from: z.string().max(128),
  to: z.string().max(128),
  action: z.string().min(1).max(64),
  payload: z.unknown(),
});

/**
 * Payloads on which this client acts, or that listeners may cast without a look. Of an approval seed 001's fields must be
 * there; those that Countersign adds must be right if present, since other hubs of this dialect don't send them.
 */
const payloadSchemas = new Map<string, z.ZodType>([
  [
    ExecApprovalRequestAction,
    execApprovalRequestSchema.partial({
      subject: true,
      agentName: true,
      jail: true,
      enforcement: true,
      env: true,
      effects: true,
      proposalHash: true,
    }),
  ],
  [ExecApprovalResolvedAction, z.object({ approvalId: z.string() })],
  [ExecApprovalExpiredAction, z.object({ approvalId: z.string() })],
]);

/** `undefined` for everything that isn't a frame of this dialect. */
export function readFrame(text: string): Envelope | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const envelope = readableSchema.safeParse(value).data;
  if (!envelope) return undefined;
  const payloadSchema = payloadSchemas.get(envelope.action);
  if (payloadSchema && !payloadSchema.safeParse(envelope.payload).success) return undefined;
  return envelope;
}

/** Throws INVALID_PARAMS for what JSON can't carry and LIMIT for what no frame can. */
export function writeFrame(envelope: Envelope): string {
  let text: string;
  try {
    text = JSON.stringify(envelope);
  } catch (cause) {
    throw new GatewayError("INVALID_PARAMS", "The message can't be written as JSON", { cause });
  }
  if (isTooLong(text)) throw new GatewayError("LIMIT", `The message is larger than a frame (${MAX_FRAME_BYTES} bytes)`);
  return text;
}

/** A UTF-16 unit is one to three bytes of UTF-8: most texts are judged without encoding them. */
export function isTooLong(text: string): boolean {
  if (text.length > MAX_FRAME_BYTES) return true;
  if (text.length * 3 <= MAX_FRAME_BYTES) return false;
  return new TextEncoder().encode(text).length > MAX_FRAME_BYTES;
}
