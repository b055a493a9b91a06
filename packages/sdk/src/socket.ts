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

/** `runPermit`: who claims which permit. */
export const runPermitSchema = z.strictObject({
  permit: z.string().min(1).max(128),
  /** The agent that it was given to; without it, whoever else uses the socket. */
  agent: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/)
    .optional(),
});

/** How a run that was claimed ended, as the shell of whoever claimed it should see it. */
export interface RunPermitEnd {
  readonly exitCode: number;
  /** For stderr, where the command's own output doesn't say it all. */
  readonly sentence?: string;
}

/** A piece of output before the answer, or the answer. */
export const socketLineSchema = z.union([z.object({ output: outputEventSchema }), socketResponseSchema]);
