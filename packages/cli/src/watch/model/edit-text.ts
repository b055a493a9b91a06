import { MAX_COMMAND_BYTES } from "@countersign/protocol/proposals";
import { type Cell, type CommandRow, wrapCommand } from "../../terminal/index.ts";
import type { Key } from "./keys.ts";

/** A command while it is changed, and where in it the next character goes (UTF-16). */
export interface Draft {
  readonly text: string;
  readonly at: number;
}

/** What a key makes of it; undefined for a key that isn't about text. `room` is how wide its rows are. */
export function editText(draft: Draft, key: Key, room: number): Draft | undefined {
  const { text, at } = draft;
  switch (key.kind) {
    case "char":
      return inserted(draft, key.char);
    case "paste":
      return inserted(draft, asWritten(key.text));
    case "backspace":
      return without(text, before(text, at), at);
    case "delete":
      return without(text, at, after(text, at));
    case "clear-line":
      return { text: "", at: 0 };
    case "left":
      return { text, at: before(text, at) };
    case "right":
      return { text, at: after(text, at) };
    case "home":
      return { text, at: text.lastIndexOf("\n", at - 1) + 1 };
    case "end":
      return { text, at: lineEnd(text, at) };
    case "up":
      return { text, at: beside(draft, -1, room) };
    case "down":
      return { text, at: beside(draft, 1, room) };
    default:
      return undefined;
  }
}

/** Where the cursor stands among the rows that `wrapCommand` makes of the text. */
export function cursorOf(
  { at }: Draft,
  rows: readonly CommandRow[],
): { readonly row: number; readonly column: number } {
  const row = Math.max(
    0,
    rows.findLastIndex(({ pos }) => pos <= at),
  );
  return { row, column: columnOf(rows[row]?.cells ?? [], at) };
}

function columnOf(cells: readonly Cell[], at: number): number {
  return cells.reduce((sum, cell) => (cell.at < at ? sum + cell.columns : sum), 0);
}

/** Line breaks and tabs are part of a command; other control characters of a paste are a terminal's own. */
function asWritten(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .toWellFormed();
}

/** No more than a hub takes. */
function inserted({ text, at }: Draft, more: string): Draft {
  const whole = text.slice(0, at) + more + text.slice(at);
  return Buffer.byteLength(whole) > MAX_COMMAND_BYTES ? { text, at } : { text: whole, at: at + more.length };
}

function without(text: string, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), at: from };
}

function before(text: string, at: number): number {
  const [last = ""] = [...text.slice(Math.max(0, at - 2), at)].slice(-1);
  return at - last.length;
}

function after(text: string, at: number): number {
  const [next = ""] = text.slice(at, at + 2);
  return at + next.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** In the row above or below, as near to the same column as there is a character. */
function beside(draft: Draft, by: 1 | -1, room: number): number {
  const { text, at } = draft;
  const rows = wrapCommand(text, room);
  const { row, column } = cursorOf(draft, rows);
  const target = rows[row + by];
  if (!target) return at;
  let columns = 0;
  for (const cell of target.cells) {
    columns += cell.columns;
    if (columns > column) return cell.at;
  }
  // Behind the last character of a row that goes on is the next row's first place.
  const goesOn = rows[row + by + 1]?.mark === "+";
  return goesOn ? (target.cells.at(-1)?.at ?? target.pos) : lineEnd(text, target.pos);
}
