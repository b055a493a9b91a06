import type { Receipt } from "@countersign/receipts";

/** The part of a receipt that reports use. */
export interface ReceiptFacts {
  readonly seq: number;
  readonly atMs: number;
  readonly at: string;
  /** The hub's name of the entry. null: a frame of another emitter. */
  readonly entry: string | null;
  readonly action: string;
  readonly status: string;
  /**
   * `root`, `session:…`, `uid:…` or `sandbox:…`, without the installation. An emitter's chain is also without its key,
   * because it stays the same emitter.
   */
  readonly chain: string;
  readonly session: string | null;
  readonly proposal: string | null;
  readonly correlation: string | null;
  readonly dropped: number;
  /** Set for observers of a sandbox's network. */
  readonly outside: "blocked" | "unwatched" | "other" | null;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Reads a verified receipt, whose shape is known to be valid. */
export function readReceiptFacts(raw: string, seq: number): ReceiptFacts {
  const { issuer, issuanceDate, credentialSubject } = JSON.parse(raw) as Receipt;
  const { action, outcome, chain, correlation_id } = credentialSubject;
  const runtime: Readonly<Record<string, unknown>> = issuer.runtime ?? {};
  const isHubs = runtime.channel === "countersign" && typeof runtime.entry === "string";
  return {
    ...{ seq, at: issuanceDate, atMs: Date.parse(issuanceDate) },
    entry: isHubs ? String(runtime.entry) : null,
    action: action.type,
    status: outcome.status,
    chain: /:((?:uid|sandbox):[\w.-]+)$/.exec(chain.chain_id)?.[1] ?? chain.chain_id.replace(/^countersign:[^:]*:/, ""),
    session: issuer.session_id ?? null,
    proposal: word(runtime.proposal),
    correlation: correlation_id ?? null,
    dropped: droppedIn(action),
    outside: runtime.attestation === "host-observed" ? outsideIn(action.type, runtime.decision) : null,
    said: saidIn(runtime),
  };
}

function droppedIn({ type, emitter_metadata }: Receipt["credentialSubject"]["action"]): number {
  const dropped = (emitter_metadata as { readonly drop_count?: unknown } | undefined)?.drop_count;
  return type === "agent_receipts.events_dropped" && typeof dropped === "number" ? dropped : 0;
}

function outsideIn(type: string, decision: unknown): ReceiptFacts["outside"] {
  if (type === "dev.countersign.egress.gap") return "unwatched";
  return type === "network.egress.observed" && decision === "denied" ? "blocked" : "other";
}

function saidIn({ decision, outcome, details }: Readonly<Record<string, unknown>>): ReceiptFacts["said"] {
  const said = decision ?? outcome ?? details;
  return typeof said === "object" && said !== null ? (said as ReceiptFacts["said"]) : {};
}

export function word(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
