import { jailSchema } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import type { ProposalRecord } from "@countersign/store";
import { EXTERNAL_ENFORCEMENTS } from "@countersign/vocabulary";
import * as z from "zod";
import type { Binding, Proposal } from "../proposals/index.ts";

const detailsSchema = z.object({
  agentName: z.string(),
  reason: z.string().optional(),
  runTimeoutMs: z.number(),
  profileId: z.string(),
  roots: z.array(z.string()),
  attended: z.boolean(),
  executor: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("local"), start: z.literal("claimed").optional() }),
    z.object({
      kind: z.literal("external"),
      enforcement: z.enum(EXTERNAL_ENFORCEMENTS),
      searches: z.literal(true).optional(),
    }),
  ]),
  jail: jailSchema.exclude(["none"]).optional(),
  binding: z.custom<Binding>((value) => typeof value === "object" && value !== null),
  proposalHash: z.string(),
  salt: z.string().optional(),
  /** `mustAskReason` of the proposal; the name is kept for rows that are stored already. */
  doubt: z.string().optional(),
});

/** What the store remembers of a proposal, as the pipeline knows it; undefined when the row can't be read. */
export function proposalFromRecord(
  record: ProposalRecord,
): { readonly proposal: Proposal; readonly binding: Binding; readonly proposalHash: string } | undefined {
  const reading = detailsSchema.safeParse(record.details as Json);
  if (!reading.success) return undefined;
  const { binding, proposalHash, reason, jail, salt, doubt: mustAskReason, ...details } = reading.data;
  const { key, ownerId, proposalId, sessionId, command, cwd, env, attached, createdAtMs, bodyHash } = record;
  const stored = { key, ownerId, proposalId, sessionId, command, cwd, env, attached, createdAtMs, bodyHash };
  const proposal: Proposal = {
    ...stored,
    ...details,
    ...(reason === undefined ? {} : { reason }),
    ...(jail ? { jail } : {}),
    ...(salt === undefined ? {} : { salt }),
    ...(mustAskReason === undefined ? {} : { mustAskReason }),
  };
  return { proposal, binding, proposalHash };
}
