import type { Cell } from "./cells.ts";
import { widthOf, wrapText } from "./cells.ts";

/** A part of the command, and what it would do; both in our own words or made visible. */
export interface Remark {
  readonly pos: number;
  readonly end: number;
  readonly sentence: string;
}

interface Mark {
  readonly from: number;
  readonly to: number;
  /** Only where the part begins; on further rows it is underlined and nothing more. */
  readonly sentence: string | undefined;
}

const GAP = 2;
/** A sentence in a narrower column would be a tower of words. */
const READABLE = 32;

/**
 * What stands under one row of a command: each part underlined, and its sentence below, beginning in the same column.
 * Parts that overlap (one inside of another) get underlines of their own.
 */
export function annotate(row: readonly Cell[], remarks: readonly Remark[], width: number): string[] {
  const bands: Mark[][] = [];
  for (const mark of remarks.flatMap((remark) => markOn(row, remark) ?? [])) {
    const band = bands.find((marks) => marks.every((other) => isSame(mark, other) || !overlaps(mark, other)));
    if (band) band.push(mark);
    else bands.push([mark]);
  }
  return bands.flatMap((marks) => [underline(marks), ...sentences(marks, width)]);
}

function markOn(row: readonly Cell[], { pos, end, sentence }: Remark): Mark | undefined {
  let column = 0;
  let from = -1;
  let to = -1;
  for (const { at, columns, text } of row) {
    // A character that takes no column of its own is the one before it.
    if (at >= pos && at < end && (from >= 0 || text !== " ")) {
      if (from < 0) from = column;
      if (text !== " ") to = column + columns;
    }
    column += columns;
  }
  if (from < 0 || to <= from) return undefined;
  const begins = row[0] !== undefined && pos >= row[0].at;
  return { from, to, sentence: begins ? sentence : undefined };
}

function isSame(a: Mark, b: Mark): boolean {
  return a.from === b.from && a.to === b.to;
}

function overlaps(a: Mark, b: Mark): boolean {
  return a.from < b.to && b.from < a.to;
}

function underline(marks: readonly Mark[]): string {
  return place(marks.map(({ from, to }) => ({ column: from, text: "^".repeat(to - from) })));
}

/** Side by side as long as they don't meet, else one below the other. */
function sentences(marks: readonly Mark[], width: number): string[] {
  const rows: { column: number; text: string }[][] = [];
  const inOrder = marks.filter(({ sentence }) => sentence !== undefined).sort((a, b) => a.from - b.from);
  for (const { from, sentence = "" } of inOrder) {
    const length = widthOf(sentence);
    const column = Math.min(from, Math.max(2, width - READABLE));
    if (length > width - column) {
      for (const text of wrapText(sentence, width - column)) rows.push([{ column, text }]);
      continue;
    }
    const item = { column: Math.min(from, width - length), text: sentence };
    const free = rows.find((row) => row.every((other) => apart(item, other)));
    if (free && item.column === from) free.push(item);
    else rows.push([item]);
  }
  return rows.map(place);
}

interface Placed {
  readonly column: number;
  readonly text: string;
}

function apart(a: Placed, b: Placed): boolean {
  const [left, right] = a.column < b.column ? [a, b] : [b, a];
  return left.column + widthOf(left.text) + GAP <= right.column;
}

function place(items: readonly Placed[]): string {
  let row = "";
  let column = 0;
  for (const item of [...items].sort((a, b) => a.column - b.column)) {
    if (item.column < column) continue;
    row += " ".repeat(item.column - column) + item.text;
    column = item.column + widthOf(item.text);
  }
  return row;
}
