import type { ProposalRecord, Store } from "@countersign/store";
import { type Enforcement, EXTERNAL_ENFORCEMENTS } from "@countersign/vocabulary";
import * as z from "zod";

/** A proposal of the past, as far as it is kept. */
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
  /** Whether this hub ran it, in what jail it had then. */
  readonly runsHere: boolean;
}

export interface PastProposal extends PastCommand {
  /** Who or what decided, and how; null where that isn't on record. */
  readonly decided: { readonly verdict: string; readonly by: string; readonly entries: readonly string[] } | null;
}

/** Rows from before these were kept are taken for a local agent's. */
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
/** Read between what a hub does otherwise: a few milliseconds. */
const SHORT_PAGE = 200;
/** Months of a busy day. */
const MAX_PROPOSALS = 200_000;

/** What was proposed since then, oldest first. Rows that can't be read are left out. */
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

/** Undefined for a row that can't be read. */
export async function readPast(
  record: ProposalRecord,
  store: Pick<Store, "ledgerOf">,
): Promise<PastProposal | undefined> {
  const past = readCommand(record);
  if (!past) return undefined;
  // Rows from before it was kept: their receipts tell.
  if (record.decided) return { ...past, decided: record.decided };
  const entry = (await store.ledgerOf(record.key)).find(({ type }) => type === "decided");
  return { ...past, decided: decidedSchema.safeParse(entry?.body).data ?? null };
}

/** The same, the last to end first, and without what was decided: that costs a look at the ledger each. */
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

/** `ours` is what would hold it today if the hub ran it. */
function readCommand(record: ProposalRecord, ours: Enforcement = "none"): PastCommand | undefined {
  const { command, cwd, env, sessionId, endedAtMs } = record;
  const details = detailsSchema.safeParse(record.details);
  if (!details.success || endedAtMs === null || !Number.isFinite(endedAtMs)) return undefined;
  const { profileId, roots = [cwd], attended, executor } = details.data;
  const enforcement = executor.enforcement ?? ours;
  const runsHere = executor.kind === "local";
  return { command, cwd, env, sessionId, endedAtMs, profileId, roots, attended, enforcement, runsHere };
}
