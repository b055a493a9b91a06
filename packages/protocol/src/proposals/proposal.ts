import * as z from "zod";
import { jailSchema } from "./approval.ts";

/** Linux takes no longer single argument (MAX_ARG_STRLEN, with its NUL); the engine asks about far shorter ones. */
export const MAX_COMMAND_BYTES = 128 * 1024 - 1;
const MAX_ENV_NAMES = 128;
const MAX_ENV_VALUE = 32 * 1024;
/** So that a card, which shows all of it, fits a frame. */
const MAX_ENV_TOTAL = 128 * 1024;
/** A day. Longer runs belong in a service, not under a gate. */
const MAX_RUN_TIMEOUT_MS = 86_400_000;

const text = (max: number) =>
  z.string().max(max, `is longer than ${max} characters`).refine(hasNoNul, "contains a NUL character");

/** Ids that come from outside: any text, but short, printable and without surprises for a terminal or a URL. */
export const outsideIdSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{C}]+$/u, "contains a control or invisible character");

export const envSchema = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "isn't a variable name"), text(MAX_ENV_VALUE))
  .refine((env) => Object.keys(env).length <= MAX_ENV_NAMES, `has more than ${MAX_ENV_NAMES} names`)
  .refine((env) => JSON.stringify(env).length <= MAX_ENV_TOTAL, `is longer than ${MAX_ENV_TOTAL} characters in all`);

/** `proposeExec` params, and the body of `POST /api/v1/exec`. */
export const proposeExecSchema = z.strictObject({
  command: text(MAX_COMMAND_BYTES).refine((command) => command.trim() !== "", "is empty"),
  cwd: text(4096).startsWith("/", "must be an absolute path").optional(),
  env: envSchema.optional(),
  /** The agent's own words; shown as its claim, never trusted. */
  reason: text(2048).optional(),
  proposalId: outsideIdSchema.optional(),
  runTimeoutMs: z.number().int().min(1).max(MAX_RUN_TIMEOUT_MS).optional(),
  session: outsideIdSchema.optional(),
  /** The jail that it asks for. A wider one than its effects call for is always a person's to give. */
  jail: jailSchema.exclude(["none"]).optional(),
});
export type ProposeExecParams = z.infer<typeof proposeExecSchema>;

function hasNoNul(value: string): boolean {
  return !value.includes("\0");
}
