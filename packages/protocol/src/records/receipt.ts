import * as z from "zod";
import { outsideIdSchema } from "../proposals/index.ts";

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

const receiptCountSchema = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
/** A receipt's hash, number or id; `size`: of which checkpoint, by default the newest. */
export const proveReceiptParamsSchema = z.strictObject({
  id: z.string().max(128),
  size: receiptCountSchema.optional(),
});
/** `to`: by default as many as the newest checkpoint covers. */
export const proveConsistencyParamsSchema = z.strictObject({
  from: receiptCountSchema,
  to: receiptCountSchema.optional(),
});

/** Receipts as they were signed: the ledger's first, and each that changed its key. */
const keyLineSchema = z.array(z.string());
/** Hashes in base64. */
const hashesSchema = z.array(z.string());

/** The newest signed tree: `note` is a C2SP tlog-checkpoint. */
export const checkpointViewSchema = z.object({
  size: z.number(),
  root: z.string(),
  note: z.string(),
  line: keyLineSchema,
});
export type CheckpointView = z.infer<typeof checkpointViewSchema>;

/** That a receipt is in the tree that a checkpoint signs. Stands by itself: `receipts verify --proof` checks it anywhere. */
export const inclusionProofSchema = z.object({
  format: z.literal("countersign-proof/1"),
  kind: z.literal("inclusion"),
  seq: z.number(),
  receipt: z.string(),
  proof: hashesSchema,
  checkpoint: z.string(),
  line: keyLineSchema,
});

const provedTreeSchema = z.object({
  size: z.number(),
  root: z.string(),
  /** The checkpoint that signs it, where there is one. */
  note: z.string().optional(),
});
/** That a later tree has all of an earlier one as its beginning. */
export const consistencyProofSchema = z.object({
  format: z.literal("countersign-proof/1"),
  kind: z.literal("consistency"),
  from: provedTreeSchema,
  to: provedTreeSchema,
  proof: hashesSchema,
  line: keyLineSchema,
});

/** Told to those who see everything when there is a new one: who remembers one asks `getCheckpoint`, and compares. */
export const ledgerCheckpointSchema = checkpointViewSchema.pick({ size: true, note: true });
export type LedgerCheckpoint = z.infer<typeof ledgerCheckpointSchema>;
