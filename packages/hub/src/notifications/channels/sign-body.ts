import { createHmac } from "node:crypto";

export interface Signed {
  readonly "countersign-timestamp": string;
  readonly "countersign-signature": string;
}

/**
 * HMAC-SHA256 over `<timestamp>.<body>`, the timestamp in Unix seconds: whoever has the secret can tell that the message is ours, unchanged, and
 * not one of yesterday's that somebody kept.
 */
export function signBody(body: string, { secret, nowMs }: { readonly secret: string; readonly nowMs: number }): Signed {
  const timestamp = `${Math.floor(nowMs / 1_000)}`;
  const mac = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return { "countersign-timestamp": timestamp, "countersign-signature": `v1=${mac}` };
}
