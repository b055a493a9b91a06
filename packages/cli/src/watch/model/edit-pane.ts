import { riskWord } from "@countersign/protocol/describe";
import type { WireExplanation } from "@countersign/protocol/proposals";
import { scriptLines } from "../../show/index.ts";
import { type Line, line, type Style, textOf, wrapCommand, wrapText } from "../../terminal/index.ts";
import type { BodyRow } from "./card-body.ts";
import { cursorOf } from "./edit-text.ts";
import { paneRoom } from "./layout.ts";
import type { Edit, WatchState } from "./state.ts";

/** Columns that stand before a command's text. */
const INDENT = 3;
const MOST_SENTENCES = 12;
const MOST_HARMLESS = 3;

/** How wide the rows of the text are. */
export function editRoom({ size }: Pick<WatchState, "size">): number {
  return Math.max(8, size.columns - INDENT - 1);
}

export interface EditPane {
  readonly lines: readonly Line[];
  /** Rows that aren't shown, above and below. */
  readonly above: number;
  readonly below: number;
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** In place of the card: the text with the cursor in it, or what it would do. */
export function editPane(state: WatchState, edit: Edit): EditPane {
  const room = paneRoom(state);
  if (edit.step === "judge") {
    const rows = judgedRows(state, edit);
    const shown = rows.slice(edit.scroll, edit.scroll + room);
    const lines = shown.map(({ kind, text }) => line(text, STYLES[kind]));
    return { lines, above: edit.scroll, below: rows.length - edit.scroll - shown.length };
  }
  const rows = wrapCommand(edit.text, editRoom(state));
  const cursor = cursorOf(edit, rows);
  const start = Math.max(0, Math.min(cursor.row - Math.floor(room / 2), rows.length - room));
  const shown = rows.slice(start, start + room);
  return {
    lines: shown.map(({ mark, cells }) => line(` ${mark} ${textOf(cells)}`, "bold")),
    above: start,
    below: rows.length - start - shown.length,
    cursor: { row: cursor.row - start, column: Math.min(INDENT + cursor.column, state.size.columns - 1) },
  };
}

const STYLES: Partial<Record<BodyRow["kind"], Style>> = { command: "bold", remark: "warn", note: "dim" };

/** What was written, and what the hub says of it: the worst first. */
export function judgedRows(state: WatchState, { text, explained }: Extract<Edit, { step: "judge" }>): BodyRow[] {
  const room = editRoom(state);
  const command = wrapCommand(text, room).map(({ mark, cells }) => row("command", ` ${mark} ${textOf(cells)}`));
  if (explained === undefined) return [...command, row("note", " Asking the hub what it would do …")];
  if (explained.kind === "unknown") {
    return [...command, ...listed("remark", [`It isn't known what it would do: ${explained.why}`], room)];
  }
  const { explanation } = explained;
  return [
    ...command,
    row("remark", ` ${riskWord(explanation.riskLevel)}: what it would do`),
    ...listed("remark", short(worstFirst(explanation), MOST_SENTENCES), room),
    ...listed("remark", scriptLines(explanation.effects), room),
    ...listed("note", short(harmless(explanation), MOST_HARMLESS), room),
  ];
}

const PATTERN = /^Matches dangerous pattern: /;

/** Each sentence once, those about danger first. */
export function worstFirst({ effects, riskReasons }: Pick<WireExplanation, "effects" | "riskReasons">): string[] {
  const said = (risk: "dangerous" | "needs-review") =>
    effects.filter((effect) => effect.risk === risk).map(({ sentence }) => sentence);
  const all = [...said("dangerous"), ...said("needs-review"), ...riskReasons];
  return [...new Set(all.map((sentence) => sentence.replace(PATTERN, "")))];
}

function harmless({ effects }: WireExplanation): string[] {
  return [...new Set(effects.filter(({ risk }) => risk === "safe").map(({ sentence }) => sentence))];
}

function short(texts: readonly string[], most: number): string[] {
  return texts.length <= most ? [...texts] : [...texts.slice(0, most), `and ${texts.length - most} more like these`];
}

function listed(kind: BodyRow["kind"], texts: readonly string[], room: number): BodyRow[] {
  return texts.flatMap((text) =>
    wrapText(text, room - 2).map((part, index) => row(kind, `${index === 0 ? " • " : "   "}${part}`)),
  );
}

function row(kind: BodyRow["kind"], text: string): BodyRow {
  return { kind, text };
}
