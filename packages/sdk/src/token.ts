import { z } from "zod";

export const roleSchema = z.enum(["agent", "observer", "approver", "hub"]);

/** Names stand on cards and in records: printable, short, one line. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, "contains a control or invisible character");

export const wantedTokenSchema = z.strictObject({
  role: roleSchema,
  name: nameSchema,
  /** What policy doesn't allow is denied instead of asked. */
  unattended: z.boolean().default(false),
});

/** The only time that a token is shown. */
export const newTokenSchema = z.object({ id: z.string(), token: z.string(), role: roleSchema, name: z.string() });
export type NewToken = z.infer<typeof newTokenSchema>;

export const tokenViewSchema = z.object({
  id: z.string(),
  role: roleSchema,
  name: z.string(),
  unattended: z.boolean(),
  createdAtMs: z.number(),
  revokedAtMs: z.number().nullable(),
});
export type TokenView = z.infer<typeof tokenViewSchema>;

export const okSchema = z.object({ ok: z.literal(true) });
