import type { Receipt } from "../format/index.ts";

/** A receipt as a line of a list. What isn't ours to say is null. */
export interface ReceiptLine {
  readonly seq: number;
  readonly hash: string;
  readonly id: string;
  readonly at: string;
  readonly chainId: string;
  readonly sequence: number;
  /** Ours (`decided`, `ended` …), or the action's. */
  readonly type: string;
  readonly action: string;
  readonly risk: string;
  /** The classifier's word, where it was asked. */
  readonly riskLevel: string | null;
  readonly status: string;
  readonly error: string | null;
  /** The hub's word. What an emitter claims leads nowhere, so it isn't told as one. */
  readonly session: string | null;
  /** Whose frame it was: `uid:1000`, `sandbox:…`; null: the hub's own. */
  readonly emitter: string | null;
  readonly sandbox: string | null;
  readonly proposal: string | null;
  readonly verdict: string | null;
  readonly by: string | null;
  readonly person: string | null;
  readonly device: string | null;
}

/** By the chain, which is the recorder's to choose. */
const EMITTER = /:(uid:\d+|sandbox:[\w.-]+)$/;

type Said = Readonly<Record<string, unknown>>;

export function lineOf(receipt: Receipt, { seq, hash }: { readonly seq: number; readonly hash: string }): ReceiptLine {
  const { issuer, issuanceDate, id, credentialSubject } = receipt;
  const { action, outcome, chain } = credentialSubject;
  const runtime: Said = issuer.runtime ?? {};
  const said = saidIn(runtime);
  const emitter = runtime.channel === "countersign" ? null : (EMITTER.exec(chain.chain_id)?.[1] ?? null);
  return {
    ...{ seq, hash, id, at: issuanceDate, chainId: chain.chain_id, sequence: chain.sequence },
    type: text(runtime.entry) ?? action.type,
    action: action.type,
    risk: action.risk_level,
    riskLevel: text(said.riskLevel),
    status: outcome.status,
    error: outcome.error ?? null,
    session: emitter === null ? (issuer.session_id ?? null) : null,
    emitter,
    sandbox: emitter?.startsWith("sandbox:") ? emitter.slice("sandbox:".length) : null,
    proposal: text(runtime.proposal),
    verdict: text(said.verdict),
    by: text(said.by),
    person: text(said.person),
    device: text(said.device),
  };
}

/** What the hub said: each kind of receipt has one of these. */
function saidIn({ decision, outcome, details }: Said): Said {
  const said = decision ?? outcome ?? details;
  return typeof said === "object" && said !== null ? (said as Said) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
