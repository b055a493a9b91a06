import { z } from "zod";
import { outsideIdSchema } from "./proposal.ts";

export const MAX_RECEIPTS_PAGE = 500;

/** Which receipts, in the order of the ledger. */
export const listReceiptsParamsSchema = z.strictObject({
  /** Those behind this one: the `next` of the page before. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(100),
  session: outsideIdSchema.optional(),
  /** As in `entry` of the receipt: `decided`, `ended`, `policy-changed`. */
  type: z.string().max(128).optional(),
  fromMs: z.coerce.number().int().optional(),
  toMs: z.coerce.number().int().optional(),
});
export type ListReceiptsParams = z.infer<typeof listReceiptsParamsSchema>;

/** `receipt` is as it was signed; its canonical form is what the signature is over. */
export const receiptViewSchema = z.object({
  seq: z.number(),
  hash: z.string(),
  receipt: z.record(z.string(), z.unknown()),
});
export type ReceiptView = z.infer<typeof receiptViewSchema>;

export const listReceiptsResultSchema = z.object({
  receipts: z.array(receiptViewSchema),
  /** Absent on the last page. */
  next: z.number().optional(),
});

/** It can't be taken back, and so is said on purpose. */
export const rotateKeyParamsSchema = z.strictObject({ confirm: z.literal(true) });

/** Which receipt says it, the key that signs now and the one that did; both as did:key. */
export const keyRotatedSchema = z.object({
  seq: z.number(),
  hash: z.string(),
  key: z.string(),
  replaced: z.string(),
});
export type KeyRotated = z.infer<typeof keyRotatedSchema>;
