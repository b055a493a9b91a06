import type { ProposalRecord, Store } from "@countersign/store";
import { type Enforcement, EXTERNAL_ENFORCEMENTS } from "@countersign/vocabulary";
import * as z from "zod";

/** A past command, as much as is stored of it. */
export interface PastCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly sessionId: string;
  readonly endedAtMs: number;
  readonly profileId: string;
  readonly roots: readonly string[];
  readonly attended: boolean;
  readonly enforcement: Enforcement;
  /** Whether this hub ran it, in the jail of that time. */
  readonly runsHere: boolean;
}

export interface PastProposal extends PastCommand {
  /** The decision and who made it. null if it isn't on record. */
  readonly decided: { readonly verdict: string; readonly by: string; readonly entries: readonly string[] } | null;
}

/** Older rows lack these fields, and are treated as a local agent's. */
const detailsSchema = z.object({
  profileId: z.string().default("default"),
  roots: z.array(z.string()).optional(),
  attended: z.boolean().default(true),
  executor: z
    .object({ kind: z.string(), enforcement: z.enum(EXTERNAL_ENFORCEMENTS).optional() })
    .default({ kind: "local" }),
});
const decidedSchema = z.object({ verdict: z.string(), by: z.string(), entries: z.array(z.string()).default([]) });

const PAGE = 1_000;
/** A short page takes a few milliseconds, so that the hub's other work isn't delayed. */
const SHORT_PAGE = 200;
/** Enough for months of busy days. */
const MAX_PROPOSALS = 200_000;

/** Yields past proposals, oldest first. Skips unreadable rows. */
export async function* history(
  store: Pick<Store, "endedProposals" | "ledgerOf">,
  sinceMs: number,
): AsyncGenerator<PastProposal> {
  let after: string | undefined;
  for (let count = 0; count < MAX_PROPOSALS; count += PAGE) {
    const page = await store.endedProposals({ sinceMs, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const record of page) {
      const past = await readPast(record, store);
      if (past) yield past;
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.key;
  }
}

/** Undefined if the row is unreadable. */
export async function readPast(
  record: ProposalRecord,
  store: Pick<Store, "ledgerOf">,
): Promise<PastProposal | undefined> {
  const past = readCommand(record);
  if (!past) return undefined;
  // Older rows lack it, so it is read from their receipts.
  if (record.decided) return { ...past, decided: record.decided };
  const entry = (await store.ledgerOf(record.key)).find(({ type }) => type === "decided");
  return { ...past, decided: decidedSchema.safeParse(entry?.body).data ?? null };
}

/** Yields past commands, the last to end first. Without decisions, because each takes a lookup in the ledger. */
export async function* newestFirst(
  store: Pick<Store, "newestEnded">,
  sinceMs: number,
  inJail?: boolean,
): AsyncGenerator<PastCommand> {
  let before: { readonly key: string; readonly endedAtMs: number } | undefined;
  for (let count = 0; count < MAX_PROPOSALS; count += SHORT_PAGE) {
    const page = await store.newestEnded({ sinceMs, limit: SHORT_PAGE, ...(before ? { before } : {}) });
    for (const record of page) {
      const past = readCommand(record, inJail ? "jail" : "none");
      if (past) yield past;
    }
    const last = page.at(-1);
    if (page.length < SHORT_PAGE || !last || last.endedAtMs === null || !Number.isFinite(last.endedAtMs)) return;
    before = { key: last.key, endedAtMs: last.endedAtMs };
  }
}

/** `ours` is the enforcement that a run by the hub would have today. */
function readCommand(record: ProposalRecord, ours: Enforcement = "none"): PastCommand | undefined {
  const { command, cwd, env, sessionId, endedAtMs } = record;
  const details = detailsSchema.safeParse(record.details);
  if (!details.success || endedAtMs === null || !Number.isFinite(endedAtMs)) return undefined;
  const { profileId, roots = [cwd], attended, executor } = details.data;
  const enforcement = executor.enforcement ?? ours;
  const runsHere = executor.kind === "local";
  return { command, cwd, env, sessionId, endedAtMs, profileId, roots, attended, enforcement, runsHere };
}
