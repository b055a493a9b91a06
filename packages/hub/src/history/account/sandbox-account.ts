import { HubError } from "@countersign/core/errors";
import type {
  ListSandboxesParams,
  listSandboxesResultSchema,
  SandboxStory,
  SandboxStoryParams,
  SandboxView,
} from "@countersign/protocol/records";
import { type Receipt, readReceipt } from "@countersign/receipts";
import { type Explanation, type SandboxRecord, type StepRecord, type Store, StoreError } from "@countersign/store";
import type * as z from "zod";
import { correlatorOfTerminal, type ReadStep, stepOf } from "./sandbox-step.ts";

export type SandboxReader = Pick<
  Store,
  "sandboxes" | "sandbox" | "sandboxSteps" | "explanations" | "unexplainedFlows" | "terminals" | "receiptBy"
>;

/** Lists sandboxes, the newest first. */
export async function listSandboxes(
  reader: SandboxReader,
  { before, limit }: ListSandboxesParams,
): Promise<z.infer<typeof listSandboxesResultSchema>> {
  const found = await reader.sandboxes({ beforeSeq: before, limit });
  const last = found.at(-1);
  return { sandboxes: found.map(viewSandbox), ...(last && found.length === limit ? { next: last.first.seq } : {}) };
}

/**
 * Returns a page of a sandbox's account: what its emitters reported from inside and outside, in order of start. Throws
 * NOT_FOUND if there is nothing on record.
 */
export async function sandboxAccount(
  reader: SandboxReader,
  { id, after, limit }: SandboxStoryParams,
): Promise<SandboxStory> {
  const sandbox = await reader.sandbox(id);
  if (sandbox === null) throw new HubError("NOT_FOUND", "Nothing is on record about a sandbox with this id");
  const found = await reader.sandboxSteps({ sandbox: id, after, limit });
  const read = await Promise.all(found.map((step) => readStep(reader, step)));
  const correlators = read.flatMap(({ receipt }) => correlatorOfTerminal(receipt) ?? []);
  const terminals = await reader.terminals({ sandbox: id, correlators: [...new Set(correlators)] });
  const explanations = await reader.explanations({ sandbox: id, momentsMs: read.map(({ atMs }) => atMs) });
  const steps = read.map((each, at) =>
    stepOf(each, { place: after + at + 1, terminals, explanation: explanations[at] as Explanation }),
  );
  const first = await reader.receiptBy({ seq: sandbox.first.seq });
  const isLast = after + steps.length >= sandbox.steps || steps.length === 0;
  return {
    sandbox: viewSandbox(sandbox),
    parentChainRef: first === null ? null : parentIn(readOrThrow(first)),
    unexplained: await reader.unexplainedFlows(id),
    steps,
    ...(isLast ? {} : { next: after + steps.length }),
  };
}

async function readStep(reader: SandboxReader, step: StepRecord): Promise<ReadStep> {
  const found = await reader.receiptBy({ seq: step.seq });
  if (found === null) throw new StoreError("CORRUPT", `Receipt ${step.seq} is missing. Verify the ledger.`);
  return { ...step, hash: found.hash, receipt: readOrThrow(found) };
}

function readOrThrow({ seq, raw }: { readonly seq: number; readonly raw: string }): Receipt {
  const read = readReceipt(Buffer.from(raw));
  if (read.kind === "malformed")
    throw new StoreError("CORRUPT", `Receipt ${seq} is unreadable (${read.reason}). Verify the ledger.`);
  return read.receipt;
}

function parentIn({ issuer }: Receipt): SandboxStory["parentChainRef"] {
  return (issuer.runtime?.parentChainRef as SandboxStory["parentChainRef"] | undefined) ?? null;
}

function viewSandbox(sandbox: SandboxRecord): SandboxView {
  const { id, first, last, receipts, steps, dropped, outside, openTerminals, actions, chains } = sandbox;
  return {
    ...{ id, receipts, steps, firstSeq: first.seq, lastSeq: last.seq, firstAtMs: first.atMs, lastAtMs: last.atMs },
    ...{ actions: [...actions], dropped, outside, incompleteSessions: openTerminals },
    chains: chains.map(({ chainId }) => chainId),
  };
}
