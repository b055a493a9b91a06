import * as z from "zod";
import { MAX_RECEIPTS_PAGE, receiptViewSchema } from "./receipt.ts";

/** What a chain is of: the hub itself, one session, one sandbox, or another program on this machine. */
export const CHAIN_KINDS = ["root", "session", "sandbox", "emitter"] as const;

/** A chain of the ledger: each of its receipts names the hash of the one before. */
export const chainViewSchema = z.object({
  chainId: z.string(),
  kind: z.enum(CHAIN_KINDS),
  /** The session's id, the sandbox's, or `uid:<n>`; null: the hub's own. */
  name: z.string().nullable(),
  /** Who proposes in the session. */
  agent: z.string().nullable(),
  /** did:key that signed its last receipt. */
  key: z.string(),
  count: z.number(),
  /** Numbers in the ledger. */
  firstSeq: z.number(),
  lastSeq: z.number(),
  firstAtMs: z.number(),
  lastAtMs: z.number(),
  /** The hash of its last receipt. */
  head: z.string(),
  /** The chain that this one goes on from, which ended when the key was changed. */
  continues: z.string().nullable(),
});
export type ChainView = z.infer<typeof chainViewSchema>;

export const listChainsParamsSchema = z.strictObject({
  /** Those that began before this one: the `next` of the page before. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(100),
  /** Part of the chain's id, which has the session's or the sandbox's in it, or of the agent's name. */
  text: z.string().max(256).optional(),
});
export type ListChainsParams = z.infer<typeof listChainsParamsSchema>;

export const listChainsResultSchema = z.object({
  /** How many receipts there are in all of them. */
  receipts: z.number(),
  /** Those that began last first. */
  chains: z.array(chainViewSchema),
  /** Absent on the last page. One that looks for a text may hold few, or none, and have a next. */
  next: z.number().optional(),
});

const chainIdSchema = z.string().min(1).max(1024);
export const readChainParamsSchema = z.strictObject({
  chain: chainIdSchema,
  /** Those behind this place in the chain, which counts from 1. */
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(100),
});
export type ReadChainParams = z.infer<typeof readChainParamsSchema>;

export const readChainResultSchema = z.object({ chain: chainViewSchema, receipts: z.array(receiptViewSchema) });

export const listCheckpointsParamsSchema = z.strictObject({
  /** Of fewer receipts than this: the `next` of the page before. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_RECEIPTS_PAGE).default(50),
});
export type ListCheckpointsParams = z.infer<typeof listCheckpointsParamsSchema>;

export const listCheckpointsResultSchema = z.object({
  /** The newest first. `note` is a C2SP tlog-checkpoint; whether its signature holds is for the reader to find out. */
  checkpoints: z.array(z.object({ size: z.number(), root: z.string(), note: z.string(), atMs: z.number() })),
  next: z.number().optional(),
});

export const exportReceiptsParamsSchema = z.strictObject({
  /** `jsonl`: every receipt, one a line. `bundle`: one JSON file that needs no store. */
  format: z.enum(["jsonl", "bundle"]),
  /** Of a bundle: this chain alone, each with the proof that it is in the record. */
  chain: chainIdSchema.optional(),
});
export type ExportReceiptsParams = z.infer<typeof exportReceiptsParamsSchema>;

/** How many receipts an export holds, so that whoever reads it knows how far it is. */
export const EXPORTED_RECEIPTS_HEADER = "countersign-receipts";
