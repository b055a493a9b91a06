import type { Receipt } from "@countersign/receipts";

/** A receipt as a line of a list. What isn't ours to say is null. */
export interface ReceiptView {
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
  readonly session: string | null;
  readonly sandbox: string | null;
  readonly proposal: string | null;
  readonly verdict: string | null;
  readonly by: string | null;
  readonly person: string | null;
  readonly device: string | null;
}

type Said = Readonly<Record<string, unknown>>;

export function viewOf(receipt: Receipt, { seq, hash }: { readonly seq: number; readonly hash: string }): ReceiptView {
  const { issuer, issuanceDate, id, credentialSubject } = receipt;
  const { action, outcome, chain } = credentialSubject;
  const runtime: Said = issuer.runtime ?? {};
  const said = saidIn(runtime);
  return {
    ...{ seq, hash, id, at: issuanceDate, chainId: chain.chain_id, sequence: chain.sequence },
    type: text(runtime.entry) ?? action.type,
    action: action.type,
    risk: action.risk_level,
    riskLevel: text(said.riskLevel),
    status: outcome.status,
    error: outcome.error ?? null,
    session: issuer.session_id ?? null,
    sandbox: /:sandbox:(.+)$/.exec(chain.chain_id)?.[1] ?? null,
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
