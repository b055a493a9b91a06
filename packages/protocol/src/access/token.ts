import { ROLES } from "@countersign/vocabulary";
import * as z from "zod";
import { INCOMPLETE_SIGNATURE, signatureShape, signedWholly } from "../proposals/index.ts";

export const roleSchema = z.enum(ROLES);

/** Names stand on cards and in records: printable, short, one line. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, "contains a control or invisible character");

/**
 * Signed by the device of whoever makes it, where that has a key or the policy takes nothing less: a decision's signature over
 * `{approvalId: "token:<role>", proposalHash, decision: "allow-always", nonce}`, with `proposalHash` the SHA-256 of the RFC 8785 form
 * of `{name, role, unattended}`.
 */
export const wantedTokenSchema = z
  .strictObject({
    role: roleSchema,
    name: nameSchema,
    /** What policy doesn't allow is denied instead of asked. */
    unattended: z.boolean().default(false),
    ...signatureShape,
  })
  .refine(signedWholly, INCOMPLETE_SIGNATURE);

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
  /** The token that it was made with; null: from before that was kept. The hub's first token is `bootstrap`. */
  madeBy: z.string().nullable(),
  lastSeenAtMs: z.number().nullable(),
  /** Whether somebody is connected with it now. */
  connected: z.boolean(),
});
export type TokenView = z.infer<typeof tokenViewSchema>;

export const okSchema = z.object({ ok: z.literal(true) });
