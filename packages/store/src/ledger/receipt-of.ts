import {
  type ActionType,
  type ChainRef,
  type Json,
  type KeyRotation,
  type ReceiptDraft,
  type RiskLevel,
  riskOf,
} from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import type { LedgerDraft, LedgerType } from "./entries.ts";

/** What goes into a receipt beside what the hub says. */
export interface ReceiptSetting {
  /** did:key of the installation's first key. */
  readonly issuer: string;
  /** On the first receipt of a sub-chain. */
  readonly parentChainRef?: ChainRef;
  /** On the same, where the key has changed since: the chain that this one goes on from. */
  readonly continues?: ChainRef;
  /** On the root's first receipt and where the key changes: fingerprint of the only key that may follow. */
  readonly nextKey?: string;
  /** A signed note about all receipts before this one. */
  readonly checkpoint?: string;
  /** Who signs from the next receipt on. */
  readonly keyRotation?: KeyRotation;
}

type Action = ReceiptDraft["credentialSubject"]["action"];

const ACTIONS: Readonly<Record<LedgerType, ActionType>> = {
  "ledger-opened": "dev.countersign.ledger.open",
  "epoch-opened": "dev.countersign.epoch.open",
  checkpoint: "dev.countersign.checkpoint",
  "key-rotated": "agent.key.rotate",
  decided: "system.command.execute",
  started: "system.command.execute",
  ended: "system.command.execute",
  "preview-decided": "dev.countersign.command.preview",
  "preview-ended": "dev.countersign.command.preview",
  "policy-changed": "dev.countersign.policy.change",
  "config-changed": "dev.countersign.config.change",
  paused: "dev.countersign.session.pause",
  resumed: "dev.countersign.session.resume",
  "token-created": "dev.countersign.token.create",
  "token-revoked": "dev.countersign.token.revoke",
  "device-claimed": "dev.countersign.device.claim",
  "auth-failed": "dev.countersign.auth.failure",
  revealed: "dev.countersign.approval.reveal",
  "notify-on": "dev.countersign.config.change",
  "notify-off": "dev.countersign.config.change",
  "adapter-installed": "dev.countersign.adapter.install",
  "adapter-removed": "dev.countersign.adapter.remove",
  "hub-up": "dev.countersign.hub.up",
  "hub-down": "dev.countersign.hub.down",
};

/** Which member of `issuer.runtime` holds what the hub said. */
type BodyKey = "decision" | "outcome" | "details";

function bodyKey(type: LedgerType): BodyKey {
  if (type === "decided" || type === "preview-decided") return "decision";
  return type === "ended" || type === "preview-ended" ? "outcome" : "details";
}

/** All that is ours stands in `issuer.runtime`: the peer's verifiers drop what they don't know anywhere else. */
export function receiptOf(draft: LedgerDraft, { issuer, keyRotation, ...runtime }: ReceiptSetting): ReceiptDraft {
  const { type, sessionId, proposalKey, body } = draft;
  const at = new Date(draft.atMs).toISOString();
  const { person, enforcement } = body;
  return {
    id: `urn:receipt:${uuidv7()}`,
    issuanceDate: at,
    issuer: {
      id: issuer,
      name: "Countersign",
      ...(sessionId ? { session_id: sessionId } : {}),
      runtime: {
        ...{ channel: "countersign", entry: type, [bodyKey(type)]: body, ...runtime },
        ...(typeof enforcement === "string" ? { enforcement } : {}),
        ...(proposalKey === null ? {} : { proposal: proposalKey }),
      },
    },
    credentialSubject: {
      principal:
        typeof person === "string" ? { id: `person:${person}`, type: "HumanPrincipal" as const } : { id: issuer },
      action: {
        id: `act_${uuidv7()}`,
        ...actionOf(draft),
        timestamp: at,
      },
      outcome: outcomeOf(draft),
      ...(proposalKey === null ? {} : { correlation_id: proposalKey }),
      ...(keyRotation === undefined ? {} : { keyRotation }),
    },
  };
}

/** A tool call has no type of its own in the taxonomy: its target says which tool of which server it is. */
function actionOf({ type, body }: LedgerDraft): Pick<Action, "type" | "risk_level" | "target"> {
  const tool = toolIn(body);
  const action = tool === undefined ? ACTIONS[type] : "dev.countersign.tool.call";
  return { type: action, risk_level: riskOf(action, riskIn(body)), ...(tool === undefined ? {} : { target: tool }) };
}

function toolIn({ tool }: LedgerDraft["body"]): { readonly system: string; readonly resource: string } | undefined {
  const { server, name } = (tool ?? {}) as { readonly server?: unknown; readonly name?: unknown };
  return typeof server === "string" && typeof name === "string" ? { system: server, resource: name } : undefined;
}

/** What will be read back from the receipt. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}

/** What a receipt of ours says, read back from its JSON; undefined where it says nothing of that kind. */
export function bodyIn(type: LedgerType, runtime: unknown): LedgerDraft["body"] | undefined {
  const body = (runtime as Record<string, unknown> | undefined)?.[bodyKey(type)];
  return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as LedgerDraft["body"]) : undefined;
}

const RISKS: Readonly<Record<string, RiskLevel>> = { safe: "low", "needs-review": "medium", dangerous: "critical" };

function riskIn({ riskLevel }: LedgerDraft["body"]): RiskLevel {
  return typeof riskLevel === "string" ? (RISKS[riskLevel] ?? "high") : "low";
}

function outcomeOf({ type, body }: LedgerDraft): ReceiptDraft["credentialSubject"]["outcome"] {
  switch (type) {
    case "decided":
    case "preview-decided":
      return type === "decided" && body.verdict !== "allow"
        ? { status: "failure", error: String(body.verdict) }
        : { status: "pending" };
    case "started":
      return { status: "pending" };
    case "adapter-installed":
    case "adapter-removed":
      return typeof body.problem === "string" ? { status: "failure", error: body.problem } : { status: "success" };
    case "auth-failed":
      return { status: "failure", error: "wrong token or code" };
    case "ended":
    case "preview-ended":
      return body.kind === "exited" && body.exitCode === 0
        ? { status: "success" }
        : { status: "failure", error: String(body.kind) };
    default:
      return { status: "success" };
  }
}
