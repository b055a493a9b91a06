import { GatewayError } from "@countersign/sdk";
import { ApiError } from "./api.ts";

/** What the person is told when something they asked for failed. Anything but the hub's refusals is a bug, and thrown. */
export function problemWords(cause: unknown): string {
  if (cause instanceof GatewayError || cause instanceof ApiError) return cause.message;
  throw cause;
}
