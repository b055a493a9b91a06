import { filterSecrets } from "@countersign/core/redaction";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";

/**
 * The part of a card that notifications need: both ends of its long texts. Thousands can be pending, and few are ever
 * shown.
 */
export interface Waiting {
  readonly approvalId: string;
  readonly riskLevel: ExecApprovalRequestPayload["riskLevel"];
  readonly agentName: string;
  readonly subject: ExecApprovalRequestPayload["subject"];
  readonly command: string;
  readonly expiresAtMs: number;
}

/** All pending approvals, as one notification. */
export interface Notice {
  /** The oldest approvals, at most 20. Their texts are one short line without invisible characters or secrets. */
  readonly named: readonly Waiting[];
  readonly count: number;
  readonly dangerous: number;
  readonly alert: boolean;
  /** When the last of these approvals expires. */
  readonly untilMs: number;
}

export interface Words {
  readonly title: string;
  readonly body: string;
  /** Set if the notification is about a single approval. */
  readonly approvalId?: string;
}

/** Longest text that any channel shows. */
const LONGEST_COMMAND = 160;
const LONGEST_NAME = 40;
const MOST_NAMED = 20;
const MOST_AGENTS = 3;
const RISK_WORDS = { safe: "review", "needs-review": "review", dangerous: "dangerous" } as const;

export function waitingOf(card: ExecApprovalRequestPayload): Waiting {
  const { approvalId, riskLevel, subject, expiresAtMs } = card;
  const command = bothEnds(card.command, LONGEST_COMMAND);
  return { approvalId, riskLevel, subject, expiresAtMs, command, agentName: bothEnds(card.agentName, LONGEST_NAME) };
}

export function noticeOf(all: readonly Waiting[], alert: boolean): Notice {
  return {
    named: all.slice(0, MOST_NAMED).map((one) => ({
      ...one,
      command: oneLine(one.command, LONGEST_COMMAND),
      agentName: oneLine(one.agentName, LONGEST_NAME),
    })),
    count: all.length,
    dangerous: all.filter(({ riskLevel }) => riskLevel === "dangerous").length,
    alert,
    untilMs: all.reduce((latest, { expiresAtMs }) => Math.max(latest, expiresAtMs), 0),
  };
}

/**
 * Returns title and body. Hides dangerous commands unless `showDangerous` is set, because anybody can read a locked
 * screen.
 */
export function wordsOf({ named, count, dangerous }: Notice, { showDangerous }: ShowOptions): Words {
  const [first] = named;
  if (count === 1 && first) return { ...wordsOfOne(first, showDangerous), approvalId: first.approvalId };
  const agents = [...new Set(named.map(({ agentName }) => agentName))];
  const more = agents.length > MOST_AGENTS ? " and others" : "";
  const title = `${count} wait${dangerous === 0 ? "" : `: ${dangerous} dangerous`}`;
  return { title, body: `${agents.slice(0, MOST_AGENTS).join(", ")}${more}` };
}

export interface ShowOptions {
  readonly showDangerous: boolean;
}

function wordsOfOne({ riskLevel, agentName, command, subject }: Waiting, showDangerous: boolean): Words {
  const asks = subject === "policy" ? "A change of policy waits" : `${agentName} asks`;
  const title = `${asks} · ${RISK_WORDS[riskLevel]}`;
  return { title, body: mayShow(riskLevel, showDangerous) ? command : "Open it to read what it is." };
}

export function mayShow(riskLevel: Waiting["riskLevel"], showDangerous: boolean): boolean {
  return riskLevel !== "dangerous" || showDangerous;
}

/**
 * Cuts the middle out before the text is filtered: filtering a huge command in whole would be slow. Both ends stay,
 * because either can hold the dangerous part.
 */
function bothEnds(text: string, longest: number): string {
  return text.length > 4 * longest ? `${text.slice(0, 2 * longest)}…${text.slice(-2 * longest)}` : text;
}

function oneLine(text: string, longest: number): string {
  const line = visible(
    filterSecrets(text)
      .replaceAll(/[\r\n]+/g, " ⏎ ")
      .toWellFormed(),
  );
  const characters = [...line];
  if (characters.length <= longest) return line;
  const tail = Math.floor(longest / 3);
  return `${characters.slice(0, longest - tail - 1).join("")}…${characters.slice(-tail).join("")}`;
}

/** One way to reach somebody. Methods return at once; the channel logs its own failures. */
export interface Channel {
  /** Replaces what the channel showed before. */
  raise(notice: Notice): void;
  withdraw(): void;
}
