import { explainUnverified, jailWords } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import { codeLines, openingLines, scriptLines, unheldLines } from "../../show/index.ts";
import {
  annotate,
  cellsOf,
  quoted,
  type Remark,
  textOf,
  widthOf,
  wrap,
  wrapCommand,
  wrapText,
} from "../../terminal/index.ts";

/** A card's rows in their order; the part of the screen that shows them scrolls. */
export interface CardBody {
  readonly rows: readonly BodyRow[];
  /** How many of them it takes to have seen the end of the command and its diff, or all of a change of the policy. */
  readonly commandRows: number;
}

export interface BodyRow {
  readonly kind: "origin" | "command" | "diff" | "remark" | "note" | "claim";
  readonly text: string;
}

/** Columns that stand before a command's text. */
const INDENT = 3;
/** As much as is left of a session that has no name. */
const LEAST_NAME = 8;
const MAX_NOTES = 12;
const MAX_SAFE_NOTES = 3;

/**
 * Everything that runs comes first (directory, environment, command), so that whoever has seen the command's end has
 * passed it all. `tilde` is the home directory that may be written as `~`.
 */
export function cardBody(card: ExecApprovalRequestPayload, width: number, tilde?: string): CardBody {
  const room = Math.max(8, width - INDENT - 1);
  const isPolicy = card.subject === "policy";
  const unchecked = explainUnverified(card);
  const before = [
    ...origin(card, width, tilde).flatMap((text) => hanging("origin", ' " ', wrapText(text, width - 4))),
    ...Object.entries(card.env).flatMap(([name, value]) =>
      wrapText(`with ${name}=${value}`, room).map((text) => row("command", ` = ${text}`)),
    ),
    ...commandRows(card, room),
    ...diffRows(card.diff, room),
    // The command of such a card is one sentence; what would change is here.
    ...(isPolicy ? listed("remark", reasonsOf(card), room) : []),
    ...listed("note", unchecked === undefined ? [] : [unchecked], room),
  ];
  const after = [
    ...scriptRows(card, width),
    ...(isPolicy ? [] : listed("note", notes(card), room)),
    ...(card.reason === undefined
      ? []
      : hanging("claim", ' " ', wrapText(`agent's claim: "${card.reason}"`, width - 4))),
  ];
  return { rows: [...before, ...after], commandRows: before.length };
}

function commandRows({ command, effects }: ExecApprovalRequestPayload, room: number): BodyRow[] {
  const remarks = effects
    .filter(({ risk, span }) => risk !== "safe" && span.end > span.pos)
    .sort((a, b) => a.span.pos - b.span.pos || b.span.end - a.span.end || worseFirst(a.risk, b.risk))
    .map(({ span, sentence }): Remark => ({ ...span, sentence: visible(sentence) }));
  return wrapCommand(command, room).flatMap(({ mark, cells, ...shown }) => {
    const here = remarks.filter(({ pos, end }) => pos < shown.end && end > shown.pos);
    return [
      row("command", ` ${mark} ${textOf(cells)}`),
      ...annotate(cells, here, room).map((text) => row("remark", " ".repeat(INDENT) + text)),
    ];
  });
}

/** Marked like the command's: what stands in a file can't pose as ours. A line that goes on has another mark. */
function diffRows(diff: string | undefined, room: number): BodyRow[] {
  if (diff === undefined) return [];
  return diff
    .split("\n")
    .flatMap((line) =>
      wrap(cellsOf(line), room).map((cells, part) => row("diff", ` ${part === 0 ? "|" : ":"} ${textOf(cells)}`)),
    );
}

/** Like a claim: where one goes on, it can't begin like a row of the command. */
function scriptRows({ effects }: ExecApprovalRequestPayload, width: number): BodyRow[] {
  return scriptLines(effects).flatMap((text) => hanging("claim", ' " ', wrapText(text, width - 4)));
}

type Risk = ExecApprovalRequestPayload["riskLevel"];

function worseFirst(a: Risk, b: Risk): number {
  return Number(b === "dangerous") - Number(a === "dangerous");
}

/** What isn't written under the command already: reasons without a place, and what is harmless. */
function notes(card: ExecApprovalRequestPayload): string[] {
  const { effects } = card;
  const placed = new Set(effects.filter(({ risk, span }) => risk !== "safe" && span.end > span.pos).map(sentenceOf));
  const safe = [...new Set(effects.filter(({ risk }) => risk === "safe").map(sentenceOf))];
  const open = reasonsOf(card).filter((text) => !placed.has(text));
  return [
    ...short(open, MAX_NOTES),
    ...openingLines(card),
    ...unheldLines(card),
    ...short(codeLines(card), MAX_SAFE_NOTES),
    ...short(safe, MAX_SAFE_NOTES),
  ];
}

function reasonsOf({ riskReasons, effects }: ExecApprovalRequestPayload): string[] {
  return [...new Set([...riskReasons, ...effects.filter(({ risk }) => risk !== "safe").map(sentenceOf)])];
}

function sentenceOf({ sentence }: ExecApprovalRequestPayload["effects"][number]): string {
  return sentence;
}

function short(texts: readonly string[], max: number): string[] {
  return texts.length <= max ? [...texts] : [...texts.slice(0, max), `and ${texts.length - max} more like these`];
}

function listed(kind: BodyRow["kind"], texts: readonly string[], room: number): BodyRow[] {
  return texts.flatMap((text) =>
    wrapText(text, room - 2).map((line, index) => row(kind, `${index === 0 ? " • " : "   "}${line}`)),
  );
}

/** Names, directories and claims are others' words: where they go on, they can't begin like a row of the command. */
function hanging(kind: BodyRow["kind"], mark: string, texts: readonly string[]): BodyRow[] {
  return texts.map((text, index) => row(kind, (index === 0 ? " " : mark) + text));
}

/** What limits it comes first and alone, and names stand in quotes: none of them can say that there's a jail. */
function origin(card: ExecApprovalRequestPayload, width: number, tilde?: string): string[] {
  const { agentName, agentId, cwd, enforcement, subject } = card;
  if (subject === "policy") return ["a change of the policy"];
  const limits = jailWords(card);
  const how = enforcement === "none" || enforcement === "jail" ? limits : `${limits} (${enforcement})`;
  const free = width - widthOf('by "", session ""') - 4;
  const agent = quoted(agentName, Math.max(LEAST_NAME, free - LEAST_NAME));
  const session = quoted(sessionName(agentId), Math.max(LEAST_NAME, free - widthOf(agent) + 2));
  const where = cwd === undefined ? [] : [`in ${quoted(withTilde(cwd, tilde))}`];
  return [how, `by ${agent}, session ${session}`, ...where];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A session that the agent didn't name has a UUID; its end tells it from the others. */
function sessionName(id: string): string {
  return UUID.test(id) ? id.slice(-8) : id;
}

function withTilde(path: string, home: string | undefined): string {
  if (home === undefined || home === "/") return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function row(kind: BodyRow["kind"], text: string): BodyRow {
  return { kind, text };
}
