import * as z from "zod";
import { toolStageSchema } from "../hub/index.ts";
import { outputEventSchema, problemSchema } from "../proposals/index.ts";

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

const terminalSize = { columns: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) };

/** `runPermit`: who claims which permit. */
export const runPermitSchema = z.strictObject({
  permit: z.string().min(1).max(128),
  /** The agent that it was given to; without it, whoever else uses the socket. */
  agent: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/)
    .optional(),
  /** Whether there is input for it; without it, it reads nothing. */
  input: z.boolean().optional(),
  /** Its output goes to a terminal, and its input comes from there. */
  terminal: z
    .strictObject({ ...terminalSize, name: z.string().regex(/^[A-Za-z0-9+._-]{1,64}$/), stderr: z.boolean() })
    .optional(),
});

/** What its claimer says meanwhile, a line each. `input` is base64, at most 64 KiB; null ends it. */
export const runPermitLineSchema = z.union([
  z.strictObject({ input: z.base64().max(90_000).nullable() }),
  z.strictObject({ size: z.strictObject(terminalSize) }),
  z.strictObject({ end: z.literal(true) }),
]);
export type RunPermitLine = z.infer<typeof runPermitLineSchema>;

/** How a run that was claimed ended, as the shell of whoever claimed it should see it. */
export interface RunPermitEnd {
  readonly exitCode: number;
  /** For stderr, where the command's own output doesn't say it all. */
  readonly sentence?: string;
  /** Where its shell stood when it left. */
  readonly directory?: string;
}

/** Before the answer, a piece of output or what is waited for; then the answer. */
export const socketLineSchema = z.union([
  z.object({ output: outputEventSchema }),
  toolStageSchema,
  socketResponseSchema,
]);
