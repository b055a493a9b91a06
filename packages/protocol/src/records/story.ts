import { APPROVAL_STATES, PROPOSAL_STATES } from "@countersign/vocabulary";
import * as z from "zod";

/** Whether a receipt is what it was, where it was. */
const receiptCheckSchema = z.object({
  signed: z.boolean(),
  /** It names the one before it in its chain, and the one after it names it. */
  linked: z.boolean(),
  /** It is a leaf of the tree that the newest checkpoint signs; `later`: it came after that checkpoint. */
  inTree: z.enum(["proved", "later", "failed"]),
});
export type ReceiptCheck = z.infer<typeof receiptCheckSchema>;

const storyStepSchema = z.object({
  at: z.string(),
  /** `decided`, `started`, `ended` …, or the action's type. */
  type: z.string(),
  seq: z.number(),
  hash: z.string(),
  id: z.string(),
  chainId: z.string(),
  sequence: z.number(),
  risk: z.string(),
  /** The decision, the outcome or whatever else it says. Never raw secrets or output: hashes. */
  said: z.record(z.string(), z.unknown()),
  check: receiptCheckSchema,
});
export type StoryStep = z.infer<typeof storyStepSchema>;

/**
 * Who allowed this, under which rule or by which person on which device with which assurance, what exactly ran, where, how
 * did it end, is the record whole around it. Answer of `GET /api/v1/receipts/:id/story`.
 */
export const storySchema = z.object({
  /**
   * Whether what the store has is what the receipts hash: `redacted` can't be compared, `gone` was forgotten or never there, `other` was
   * changed. Null where nothing was decided yet.
   */
  texts: z
    .object({
      command: z.enum(["same", "redacted", "other"]),
      stdout: z.enum(["same", "gone", "other"]),
      stderr: z.enum(["same", "gone", "other"]),
    })
    .nullable(),
  proposal: z
    .object({
      key: z.string(),
      proposalId: z.string(),
      session: z.string(),
      /** Redacted. */
      command: z.string(),
      cwd: z.string(),
      state: z.enum(PROPOSAL_STATES),
      createdAtMs: z.number(),
    })
    .nullable(),
  approval: z
    .object({
      id: z.string(),
      state: z.enum(APPROVAL_STATES),
      /** When it first reached somebody who may answer; null: nobody has seen it. */
      deliveredAtMs: z.number().nullable(),
      expiresAtMs: z.number(),
    })
    .nullable(),
  /** Names of the devices that are mentioned, by their ids. */
  devices: z.record(z.string(), z.string()),
  /** In the order of the ledger. */
  steps: z.array(storyStepSchema),
  /** Of these receipts and their neighbours; the whole ledger is what `receipts verify` is for. */
  whole: z.boolean(),
  checkpoint: z.object({ size: z.number(), root: z.string() }).nullable(),
});
export type Story = z.infer<typeof storySchema>;
