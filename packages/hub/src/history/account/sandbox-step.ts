import type { SandboxStep } from "@countersign/protocol/records";
import type { Receipt } from "@countersign/receipts";
import type { Explanation, StepRecord, TerminalRecord } from "@countersign/store";

/** A step's last receipt, as the ledger has it. */
export interface ReadStep extends StepRecord {
  readonly hash: string;
  readonly receipt: Receipt;
}

export interface Around {
  readonly place: number;
  readonly terminals: ReadonlyMap<string, TerminalRecord>;
  /** The explanation at the time it began. */
  readonly explanation: Explanation;
}

const TERMINAL_TYPES: ReadonlySet<string> = new Set(["system.pty.open", "system.pty.close"]);

export function correlatorOfTerminal({ credentialSubject: { action, correlation_id } }: Receipt): string | undefined {
  return TERMINAL_TYPES.has(action.type) ? (correlation_id ?? undefined) : undefined;
}

export function stepOf(read: ReadStep, around: Around): SandboxStep {
  const { receipt } = read;
  const { action, outcome } = receipt.credentialSubject;
  const { runtime, binding } = saidIn(receipt);
  const step = commonOf(read, around.place);
  if (action.type === "agent_receipts.events_dropped") {
    const dropped = said(action.emitter_metadata).drop_count;
    return { kind: "gap", ...step, dropped: typeof dropped === "number" ? dropped : 0 };
  }
  const outside = flowOf(read, around) ?? unwatchedOf(read);
  if (outside !== null) return { ...step, ...outside };
  return {
    ...{ kind: "action", ...step, type: action.type, ...claimsOf(receipt) },
    // A frame's tool is its route. `binding.route` is the same with the requested values.
    route: word(binding.route) ?? action.target?.resource ?? action.target?.system ?? null,
    ...{ status: outcome.status, denied: runtime.decision === "denied", error: outcome.error ?? null },
    terminal: terminalOf(read, around),
  };
}

function commonOf({ seq, hash, atMs, receipt }: ReadStep, place: number) {
  const { issuanceDate, credentialSubject } = receipt;
  const { action, chain } = credentialSubject;
  const { runtime, binding } = saidIn(receipt);
  return {
    ...{ place, at: issuanceDate, happenedAt: new Date(atMs).toISOString(), emittedAt: word(runtime.emittedAt) },
    ...{ seq, hash, chainId: chain.chain_id, sequence: chain.sequence, risk: action.risk_level },
    ...{ attestation: word(runtime.attestation), placement: word(binding.placement) },
  };
}

function claimsOf(receipt: Receipt) {
  const { action, outcome, correlation_id } = receipt.credentialSubject;
  const { runtime } = saidIn(receipt);
  return {
    ...{ parametersHash: action.parameters_hash ?? null, responseHash: outcome.response_hash ?? null },
    ...{ correlation: correlation_id ?? null, enforcement: word(runtime.enforcement) },
    limits: texts(said(runtime.coverage).limits),
  };
}

type Own<Kind> = Omit<Extract<SandboxStep, { kind: Kind }>, keyof ReturnType<typeof commonOf>>;

/** null if it isn't a flow, or not in the recorder's current form. */
function flowOf({ receipt, receipts, firstSeq }: ReadStep, { explanation }: Around): Own<"flow"> | null {
  const { type } = receipt.credentialSubject.action;
  const { dst_addr, dst_port, protocol, bytes_out, verdict, name, ended_at, service } = said(
    saidIn(receipt).binding.flow,
  );
  if (type !== "network.egress.observed" || typeof dst_addr !== "string") return null;
  return {
    ...{ kind: "flow", type, address: dst_addr, port: Number(dst_port), protocol: String(protocol), name: word(name) },
    ...{ bytesOut: Number(bytes_out), blocked: verdict === "blocked", endedAt: word(ended_at), receipts, firstSeq },
    explained: service === "relay" ? { kind: "relay" } : explanation,
    ...claimsOf(receipt),
  };
}

function unwatchedOf({ receipt }: ReadStep): Own<"unwatched"> | null {
  const { from, to, reason, rules } = said(saidIn(receipt).binding.gap);
  if (typeof from !== "string" || typeof to !== "string") return null;
  const { limits } = claimsOf(receipt);
  return { kind: "unwatched", from, to, reason: String(reason), rules: word(rules), limits };
}

function terminalOf({ receipt, seq }: ReadStep, { terminals }: Around): { other: number | null } | null {
  const { action, outcome } = receipt.credentialSubject;
  const { type } = action;
  if (!TERMINAL_TYPES.has(type) || (type === "system.pty.open" && outcome.status !== "success")) return null;
  const pair = terminals.get(correlatorOfTerminal(receipt) ?? "");
  if (type === "system.pty.open") return { other: pair?.openedSeq === seq ? pair.closedSeq : null };
  return { other: pair?.closedSeq === seq ? pair.openedSeq : null };
}

type Said = Readonly<Record<string, unknown>>;

function saidIn({ issuer }: Receipt): { readonly runtime: Said; readonly binding: Said } {
  const runtime: Said = issuer.runtime ?? {};
  return { runtime, binding: said(runtime.binding) };
}

function said(value: unknown): Said {
  return typeof value === "object" && value !== null ? (value as Said) : {};
}

function word(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
