import { isDeepStrictEqual } from "node:util";
import { branchOf, findRepository } from "@countersign/core/host";
import {
  filterSecrets,
  isName,
  namesIn,
  redactAround,
  redactCommand,
  redaction,
  redactScript,
  redactSentence,
} from "@countersign/core/redaction";
import { type JailPlan, openedWords } from "@countersign/jail";
import type { NamedScript } from "@countersign/policy";
import type { ExecApprovalRequestPayload, ShownScript } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import type { ApprovalRecord } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { type Assessment, type Binding, describeCredentials, type Proposal } from "../proposals/index.ts";

/** How texts are shown: without their secrets, or as they are. */
interface CardRedaction {
  readonly command: typeof redaction;
  /** `names` stay readable: what the effects are about. */
  readonly sentence: (text: string, names: readonly string[]) => string;
  readonly text: (text: string) => string;
}
const REDACTED: CardRedaction = { command: redaction, sentence: redactAround, text: filterSecrets };
const UNREDACTED: CardRedaction = {
  command: (text) => ({ text, at: (offset) => offset }),
  sentence: (text) => text,
  text: (text) => text,
};

/** The card: what a person is shown about a proposal, redacted. What runs is bound by `proposalHash`. */
export function createCard(
  assessment: Assessment,
  { expiresAtMs, unheld = [] }: { readonly expiresAtMs: number; readonly unheld?: readonly string[] | undefined },
): ApprovalRecord {
  const { proposal, cut } = assessment;
  const id = proposal.card?.approvalId ?? uuidv7();
  const payload: ExecApprovalRequestPayload = {
    ...renderCard(assessment, { approvalId: id, expiresAtMs }, REDACTED),
    ...repositoryShown(proposal),
    ...(cut === undefined || unheld.length === 0 ? {} : { unheld: [...unheld] }),
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

/** The same card with nothing hidden but in its diff, for a person who asked for it. Never kept. */
export function revealedCard(assessment: Assessment, card: ExecApprovalRequestPayload): ExecApprovalRequestPayload {
  return { ...card, ...renderCard(assessment, card, UNREDACTED) };
}

/**
 * Whether it would do and get nothing that its card doesn't say. No permit binds hosts, logins and targets, so files that changed since the
 * card was shown could have added to them.
 */
export function isAsShown(assessment: Assessment, card: ExecApprovalRequestPayload): boolean {
  const now = renderCard(assessment, card, REDACTED);
  const shown = new Set(card.effects.map(effectKey));
  return (
    now.effects.every((effect) => shown.has(effectKey(effect))) &&
    (now.lends ?? []).every((words) => card.lends?.includes(words)) &&
    (now.network === undefined || reaches(card.network, now.network))
  );
}

function effectKey({ kind, risk, target }: ExecApprovalRequestPayload["effects"][number]): string {
  return JSON.stringify([kind, risk, target]);
}

function reaches(shown: ExecApprovalRequestPayload["network"], now: readonly string[] | "any"): boolean {
  if (shown === "any") return true;
  return now !== "any" && now.length < MAX_HOSTS && now.every((host) => shown?.includes(host));
}

function renderCard(
  assessment: Assessment,
  { approvalId, expiresAtMs }: Pick<ExecApprovalRequestPayload, "approvalId" | "expiresAtMs">,
  redact: CardRedaction,
): ExecApprovalRequestPayload {
  const { proposal, decision, classification, cut } = assessment;
  const { text, at } = redact.command(proposal.command, classification.effects);
  const effects = classification.effects.slice(0, MAX_EFFECTS);
  const names = namesIn(effects);
  return {
    approvalId,
    agentId: proposal.sessionId,
    command: text,
    cwd: redact.text(proposal.cwd),
    riskLevel: decision.riskLevel,
    riskReasons: decision.riskReasons.map((reason) => redact.sentence(reason, names)),
    expiresAtMs,
    subject: "exec",
    agentName: proposal.agentName,
    ...(proposal.executor.kind === "local" ? {} : { runBy: "agent" as const }),
    jail: assessment.jail,
    ...(cut === undefined ? {} : { network: hostsShown(cut, redact), lends: describeCredentials(assessment) }),
    ...openingsShown(assessment, redact),
    enforcement: assessment.enforcement,
    ...codeShown(assessment.binding),
    env: Object.fromEntries(Object.entries(proposal.env).map(([name, value]) => [name, redact.text(value)])),
    effects: effects.map(({ kind, risk, layer, ruleId, span, ...effect }) => ({
      kind,
      risk,
      layer,
      ruleId,
      // Spans point into the text that is shown.
      span: { pos: at(span.pos), end: at(span.end) },
      sentence: redact.sentence(effect.sentence, names),
      ...(effect.target === undefined ? {} : { target: redact.sentence(effect.target, names) }),
      ...scriptShown(effect.script, assessment, redact),
    })),
    proposalHash: assessment.proposalHash,
    ...(proposal.reason === undefined ? {} : { reason: redact.text(proposal.reason) }),
    ...(proposal.card?.diff === undefined ? {} : { diff: proposal.card.diff }),
  };
}

/**
 * What is kept of a card once it is closed, where that is less than what was shown: a secret that named what an effect
 * is about had to be readable for the one who decided.
 */
export function redactClosedCard({ payload }: Pick<ApprovalRecord, "payload">): {
  payload?: ApprovalRecord["payload"];
} {
  const card = payload as unknown as ExecApprovalRequestPayload;
  const { text, at } = redaction(card.command);
  const kept: ExecApprovalRequestPayload = {
    ...card,
    command: text,
    riskReasons: card.riskReasons.map(redactSentence),
    ...(card.network === undefined || card.network === "any" ? {} : { network: card.network.map(redactSentence) }),
    ...(card.code === undefined
      ? {}
      : { code: card.code.map((file) => ({ ...file, path: redactSentence(file.path) })) }),
    effects: card.effects.map((effect) => ({
      ...effect,
      span: { pos: at(effect.span.pos), end: at(effect.span.end) },
      sentence: redactSentence(effect.sentence),
      ...(effect.target === undefined ? {} : { target: redactSentence(effect.target) }),
      ...(effect.script === undefined ? {} : { script: redactScript(effect.script, KEPT) }),
    })),
  };
  return isDeepStrictEqual(kept, card) ? {} : { payload: kept as unknown as Record<string, Json> };
}

const KEPT = { command: redactCommand, path: redactSentence };

/** As it was when it was asked, and wherever its agent may work: it is there for the person to know it by. */
function repositoryShown({ cwd }: Proposal): Pick<ExecApprovalRequestPayload, "repository" | "branch"> {
  const repository = findRepository(cwd, ["/"]);
  if (repository === undefined) return {};
  const branch = branchOf(repository);
  return { repository: filterSecrets(repository), ...(branch === undefined ? {} : { branch: filterSecrets(branch) }) };
}

function hostsShown({ hosts }: JailPlan, redact: CardRedaction): string[] | "any" {
  return hosts === "any" ? hosts : hosts.slice(0, MAX_HOSTS).map((host) => (isName(host) ? host : redact.text(host)));
}

function openingsShown(
  { binding, fails }: Assessment,
  redact: CardRedaction,
): Pick<ExecApprovalRequestPayload, "opens" | "fails"> {
  const opens = openedWords(binding.opens).map((text) => redact.text(text));
  return {
    ...(opens.length === 0 ? {} : { opens }),
    ...(fails.length === 0 ? {} : { fails: fails.map((text) => redact.text(text)) }),
  };
}

/** Never hidden: this is what runs. */
function codeShown({ code }: Binding): Pick<ExecApprovalRequestPayload, "code"> {
  const files = Object.entries(code).slice(0, MAX_FILES);
  return files.length === 0 ? {} : { code: files.map(([path, sha256]) => ({ path, sha256 })) };
}

/** What stands in a script runs as it stands there: of that, too, nothing is hidden that does something. The file is among `code`. */
function scriptShown(
  script: NamedScript | undefined,
  { showScript }: Assessment,
  redact: CardRedaction,
): { script?: ShownScript } {
  const shown = script && showScript(script);
  if (shown === undefined) return {};
  return { script: redactScript(shown, { command: (text) => redact.command(text).text, path: (path) => path }) };
}

/** More than any real command has; keeps a hostile one from filling the card. */
const MAX_EFFECTS = 256;
const MAX_HOSTS = 64;
const MAX_FILES = 32;
