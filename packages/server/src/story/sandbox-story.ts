import { type Receipt, readReceipt } from "@countersign/receipts";
import type {
  ListSandboxesParams,
  listSandboxesResultSchema,
  SandboxStep,
  SandboxStory,
  SandboxStoryParams,
  SandboxView,
} from "@countersign/sdk";
import type { z } from "zod";
import { HubError } from "../hub-error.ts";
import type { StoredReceipt } from "../ledger/check-ledger.ts";
import type { LedgerHead } from "../ledger/entries.ts";
import { type SandboxRecord, type Store, StoreError, type TerminalRecord } from "../store/store.ts";

export type SandboxReader = Pick<Store, "sandboxes" | "sandbox" | "terminals" | "receiptsOfChain" | "receiptBy">;
type Found = StoredReceipt & LedgerHead;

/** The sandboxes on record, those that began last first. */
export async function listSandboxes(
  reader: SandboxReader,
  { before, limit }: ListSandboxesParams,
): Promise<z.infer<typeof listSandboxesResultSchema>> {
  const found = await reader.sandboxes({ beforeSeq: before, limit });
  const last = found.at(-1);
  return { sandboxes: found.map(viewSandbox), ...(last && found.length === limit ? { next: last.first.seq } : {}) };
}

/** What happened in a sandbox, in the order of its chains; a page of it. NOT_FOUND where nothing is on record. */
export async function tellSandbox(
  reader: SandboxReader,
  { id, after, limit }: SandboxStoryParams,
): Promise<SandboxStory> {
  const sandbox = await reader.sandbox(id);
  if (sandbox === null) throw new HubError("NOT_FOUND", "Nothing is on record about a sandbox with this id");
  const found = await receiptsOf(reader, sandbox, { after, limit });
  const read = found.map((each) => ({ ...each, receipt: readOrThrow(each) }));
  const correlators = read.flatMap(({ receipt }) => correlatorOfTerminal(receipt) ?? []);
  const terminals = await reader.terminals({ sandbox: id, correlators: [...new Set(correlators)] });
  const steps = read.map((each, at) => stepOf(each, { place: after + at + 1, terminals }));
  const first = await reader.receiptBy({ seq: sandbox.first.seq });
  const isLast = after + steps.length >= sandbox.receipts || steps.length === 0;
  return {
    sandbox: viewSandbox(sandbox),
    parentChainRef: first === null ? null : parentIn(readOrThrow(first)),
    steps,
    ...(isLast ? {} : { next: after + steps.length }),
  };
}

/** One chain goes on where the other ended, and their places have no gaps: so any page can be asked for. */
async function receiptsOf(
  reader: SandboxReader,
  { chains }: SandboxRecord,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Found[]> {
  const found: Found[] = [];
  let before = 0;
  for (const { chainId, length } of chains) {
    const [afterSequence, wanted] = [Math.max(0, after - before), limit - found.length];
    if (wanted > 0 && afterSequence < length)
      found.push(...(await reader.receiptsOfChain({ chainId, afterSequence, limit: wanted })));
    before += length;
  }
  return found;
}

function readOrThrow({ seq, raw }: Found): Receipt {
  const read = readReceipt(Buffer.from(raw));
  if (read.kind === "malformed")
    throw new StoreError("CORRUPT", `Receipt ${seq} is unreadable (${read.reason}). Verify the ledger.`);
  return read.receipt;
}

const TERMINAL_TYPES = new Set(["system.pty.open", "system.pty.close"]);

function correlatorOfTerminal({ credentialSubject: { action, correlation_id } }: Receipt): string | undefined {
  return TERMINAL_TYPES.has(action.type) ? (correlation_id ?? undefined) : undefined;
}

interface Around {
  readonly place: number;
  readonly terminals: ReadonlyMap<string, TerminalRecord>;
}

function stepOf({ seq, hash, receipt }: Found & { readonly receipt: Receipt }, around: Around): SandboxStep {
  const { issuer, issuanceDate, credentialSubject } = receipt;
  const { action, outcome, chain, correlation_id } = credentialSubject;
  const runtime: Said = issuer.runtime ?? {};
  const [binding, coverage] = [said(runtime.binding), said(runtime.coverage)];
  const step = {
    ...{ place: around.place, at: issuanceDate, emittedAt: word(runtime.emittedAt), seq, hash },
    ...{ chainId: chain.chain_id, sequence: chain.sequence, risk: action.risk_level },
    attestation: word(runtime.attestation),
  };
  if (action.type === "agent_receipts.events_dropped") {
    const dropped = said(action.emitter_metadata).drop_count;
    return { kind: "gap", ...step, dropped: typeof dropped === "number" ? dropped : 0 };
  }
  return {
    kind: "action",
    ...step,
    type: action.type,
    // The tool of a frame is its route; `binding.route` says the same, with what was asked for.
    route: word(binding.route) ?? action.target?.resource ?? action.target?.system ?? null,
    status: outcome.status,
    denied: runtime.decision === "denied",
    error: outcome.error ?? null,
    parametersHash: action.parameters_hash ?? null,
    responseHash: outcome.response_hash ?? null,
    correlation: correlation_id ?? null,
    placement: word(binding.placement),
    enforcement: word(runtime.enforcement),
    limits: texts(coverage.limits),
    terminal: terminalOf(receipt, seq, around),
  };
}

function terminalOf(receipt: Receipt, seq: number, { terminals }: Around): { other: number | null } | null {
  const { action, outcome } = receipt.credentialSubject;
  const { type } = action;
  if (!TERMINAL_TYPES.has(type) || (type === "system.pty.open" && outcome.status !== "success")) return null;
  const pair = terminals.get(correlatorOfTerminal(receipt) ?? "");
  if (type === "system.pty.open") return { other: pair?.openedSeq === seq ? pair.closedSeq : null };
  return { other: pair?.closedSeq === seq ? pair.openedSeq : null };
}

function parentIn({ issuer }: Receipt): SandboxStory["parentChainRef"] {
  return (issuer.runtime?.parentChainRef as SandboxStory["parentChainRef"] | undefined) ?? null;
}

function viewSandbox({
  id,
  first,
  last,
  receipts,
  dropped,
  openTerminals,
  actions,
  chains,
}: SandboxRecord): SandboxView {
  return {
    ...{ id, receipts, firstSeq: first.seq, lastSeq: last.seq, firstAtMs: first.atMs, lastAtMs: last.atMs },
    ...{ actions: [...actions], dropped, incompleteSessions: openTerminals },
    chains: chains.map(({ chainId }) => chainId),
  };
}

type Said = Readonly<Record<string, unknown>>;

function said(value: unknown): Said {
  return typeof value === "object" && value !== null ? (value as Said) : {};
}

function word(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
