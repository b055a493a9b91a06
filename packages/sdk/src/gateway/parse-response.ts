import { responsePayloadSchema, type SendErrorPayload, sendErrorPayloadSchema } from "@countersign/protocol/proposals";
import { isMethodName, METHODS } from "@countersign/protocol/wire";
import * as z from "zod";
import { GatewayError } from "../errors/index.ts";

export type Answer =
  | { readonly requestId: string; readonly payload: unknown }
  | { readonly requestId: string; readonly error: GatewayError };

const answeredSchema = z.object({ requestId: z.string() });

/** `undefined` when not even the request that it answers can be told. */
export function parseResponse(value: unknown): Answer | undefined {
  const requestId = answeredSchema.safeParse(value).data?.requestId;
  if (requestId === undefined) return undefined;
  const response = responsePayloadSchema.safeParse(value);
  if (!response.success) {
    const cause = response.error;
    return { requestId, error: new GatewayError("INVALID_RESPONSE", "The answer isn't in the wire's form", { cause }) };
  }
  if (response.data.ok) return { requestId, payload: response.data.payload };
  const { code, message } = response.data.error;
  return { requestId, error: new GatewayError(code, message) };
}

export function parseSendError(value: unknown): SendErrorPayload | undefined {
  return sendErrorPayloadSchema.safeParse(value).data;
}

/** Methods of the table are checked, and reduced to what their types promise; others are the caller's to check. */
export function checkResult(method: string, payload: unknown): unknown {
  if (!isMethodName(method)) return payload;
  const result = METHODS[method].result.safeParse(payload);
  if (result.success) return result.data;
  throw new GatewayError("INVALID_RESPONSE", `The result of ${method} isn't in the wire's form`, {
    cause: result.error,
  });
}
