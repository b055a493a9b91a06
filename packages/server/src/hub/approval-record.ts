import type { Json } from "@countersign/receipts";
import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import type { JailCut } from "../jail/cut-jail.ts";
import { lentWords } from "../jail/lend.ts";
import type { Binding } from "../permit/binding.ts";
import type { Considered } from "../propose/consider.ts";
import { filterSecrets } from "../secrets/filter-secrets.ts";
import { redaction, redactSentence } from "../secrets/redact-command.ts";
import type { ApprovalRecord } from "../store/records.ts";

/** The card: what a person is shown about a proposal, redacted. What runs is bound by `proposalHash`. */
export function execApproval(
  considered: Considered,
  { expiresAtMs, unheld = [] }: { readonly expiresAtMs: number; readonly unheld?: readonly string[] | undefined },
): ApprovalRecord {
  const { proposal, decision, classification } = considered;
  const id = proposal.card?.approvalId ?? uuidv7();
  const { text, at } = redaction(proposal.command, classification.effects);
  const payload: ExecApprovalRequestPayload = {
    approvalId: id,
    agentId: proposal.sessionId,
    command: text,
    cwd: filterSecrets(proposal.cwd),
    riskLevel: decision.riskLevel,
    riskReasons: decision.riskReasons.map(redactSentence),
    expiresAtMs,
    subject: "exec",
    agentName: proposal.agentName,
    jail: considered.jail,
    ...(considered.cut === undefined ? {} : { network: hostsShown(considered.cut), lends: lentWords(considered) }),
    ...(considered.cut === undefined || unheld.length === 0 ? {} : { unheld: [...unheld] }),
    enforcement: considered.enforcement,
    ...codeShown(considered.binding),
    env: Object.fromEntries(Object.entries(proposal.env).map(([name, value]) => [name, filterSecrets(value)])),
    effects: classification.effects.slice(0, MAX_EFFECTS).map(({ kind, risk, layer, ruleId, span, ...effect }) => ({
      kind,
      risk,
      layer,
      ruleId,
      // Spans point into the text that is shown.
      span: { pos: at(span.pos), end: at(span.end) },
      sentence: redactSentence(effect.sentence),
      ...(effect.target === undefined ? {} : { target: redactSentence(effect.target) }),
    })),
    proposalHash: considered.proposalHash,
    ...(proposal.reason === undefined ? {} : { reason: filterSecrets(proposal.reason) }),
    ...(proposal.card?.diff === undefined ? {} : { diff: proposal.card.diff }),
  };
  return {
    id,
    subject: "exec",
    proposalKey: proposal.key,
    sessionId: proposal.sessionId,
    profileId: proposal.profileId,
    state: "pending",
    expiresAtMs,
    deliveredAtMs: null,
    payload: payload as unknown as Record<string, Json>,
    resolution: null,
  };
}

/**
 * What is kept of a card once it is closed, where that is less than what was shown: a secret that named what an effect
 * is about had to be readable for the one who decided.
 */
export function keptOf({ payload }: Pick<ApprovalRecord, "payload">): { payload?: ApprovalRecord["payload"] } {
  const { command, effects } = payload as unknown as ExecApprovalRequestPayload;
  const { text, at } = redaction(command);
  if (text === command) return {};
  const moved = effects.map((effect) => ({ ...effect, span: { pos: at(effect.span.pos), end: at(effect.span.end) } }));
  return { payload: { ...payload, command: text, effects: moved as unknown as Json } };
}

function hostsShown({ hosts }: JailCut): string[] | "any" {
  return hosts === "any" ? hosts : hosts.slice(0, MAX_HOSTS).map(redactSentence);
}

function codeShown({ code }: Binding): Pick<ExecApprovalRequestPayload, "code"> {
  const files = Object.entries(code).slice(0, MAX_FILES);
  return files.length === 0 ? {} : { code: files.map(([path, sha256]) => ({ path: redactSentence(path), sha256 })) };
}

/** More than any real command has; keeps a hostile one from filling the card. */
const MAX_EFFECTS = 256;
const MAX_HOSTS = 64;
const MAX_FILES = 32;
