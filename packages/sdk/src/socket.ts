import { z } from "zod";
import { problemSchema } from "./problem.ts";

/** `run/hub.sock`: one JSON line in, one out. */
export const socketRequestSchema = z.strictObject({
  method: z.string().max(64),
  params: z.unknown().optional(),
});
export type SocketRequest = z.infer<typeof socketRequestSchema>;

export const socketResponseSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), payload: z.unknown() }),
  z.object({ ok: z.literal(false), error: problemSchema }),
]);
export type SocketResponse = z.infer<typeof socketResponseSchema>;
