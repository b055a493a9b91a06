import { z } from "zod";
import { outputEventSchema } from "./output.ts";
import { problemSchema } from "./problem.ts";

/** `run/hub.sock`: one JSON line in, one out; with `stream`, lines of output before it. */
export const socketRequestSchema = z.strictObject({
  method: z.string().max(64),
  params: z.unknown().optional(),
  /** `proposeExec`: tells what the run writes as it comes; the outcome then has no stdout and stderr. */
  stream: z.boolean().optional(),
});
export type SocketRequest = z.infer<typeof socketRequestSchema>;

export const socketResponseSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), payload: z.unknown() }),
  z.object({ ok: z.literal(false), error: problemSchema }),
]);
export type SocketResponse = z.infer<typeof socketResponseSchema>;

/** A piece of output before the answer, or the answer. */
export const socketLineSchema = z.union([z.object({ output: outputEventSchema }), socketResponseSchema]);
