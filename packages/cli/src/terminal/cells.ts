import { visible } from "@countersign/protocol/text";

/** One character as it is drawn. Deceiving characters are drawn by their name. */
export interface Cell {
  readonly text: string;
  /** UTF-16 offset in the text that it comes from. */
  readonly at: number;
  /** Columns that a terminal gives it, as far as one can know. */
  readonly columns: number;
  /** Columns that it may take at worst: see `AT_WORST`. */
  readonly budget: number;
}

/**
 * Terminals disagree about the width of everything but ASCII (ambiguous ones, emoji, marks). A row that is wider than we
 * think would lose its end behind the edge, and a command could be written to hide there; so rows are broken as if
 * each such character took two columns, which is the most that any takes.
 */
const AT_WORST = 2;

const TAB = 8;
const ASCII = /^[\x20-\x7e]$/;
const NO_WIDTH = /^[\p{Mn}\p{Me}]$/u;
/** East Asian Wide and Fullwidth (Unicode, annex 11), by blocks; and emoji that are drawn as pictures. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** A line's characters. Tabs become spaces up to the next stop. */
export function cellsOf(line: string, from = 0): Cell[] {
  const cells: Cell[] = [];
  let at = from;
  let column = 0;
  for (const character of line) {
    const cell = cellOf(character, at, column);
    cells.push(cell);
    at += character.length;
    column += cell.columns;
  }
  return cells;
}

function cellOf(character: string, at: number, column: number): Cell {
  if (ASCII.test(character)) return { text: character, at, columns: 1, budget: 1 };
  if (character === "\t") {
    const columns = TAB - (column % TAB);
    return { text: " ".repeat(columns), at, columns, budget: columns };
  }
  const text = visible(character);
  if (text !== character) return { text, at, columns: text.length, budget: text.length };
  const columns = NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return { text, at, columns, budget: AT_WORST };
}

export function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join("");
}

function columnsOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { columns }) => sum + columns, 0);
}

/** Rows of at most so many columns, broken behind a space where one is near the end. Nothing is left out. */
export function wrap(cells: readonly Cell[], width: number): Cell[][] {
  const rows: Cell[][] = [];
  let start = 0;
  let used = 0;
  let space = -1;
  for (let index = 0; index < cells.length; index += 1) {
    const { budget, text } = cells[index] as Cell;
    if (used + budget > width && index > start) {
      const end = space > start + (index - start) / 2 ? space : index;
      rows.push(cells.slice(start, end));
      start = end;
      used = cells.slice(end, index).reduce((sum, cell) => sum + cell.budget, 0);
      space = -1;
    }
    used += budget;
    if (text === " ") space = index + 1;
  }
  rows.push(cells.slice(start));
  return rows;
}

/** Prose of others in rows. */
export function wrapText(text: string, width: number): string[] {
  return wrap(cellsOf(visible(text)), Math.max(1, width)).map((row) => textOf(row).trimEnd());
}

/** One row of at most so many columns; what is left out is left out in the middle, and marked. */
export function elide(text: string, width: number): string {
  // Far more than any row has: a huge command needs not be drawn whole to show both its ends.
  const short = text.length > MAX_ELIDED ? `${text.slice(0, MAX_ELIDED / 2)}…${text.slice(-MAX_ELIDED / 2)}` : text;
  const cells = cellsOf(visible(short));
  const fits = (some: readonly Cell[]) => some.reduce((sum, { budget }) => sum + budget, 0);
  if (fits(cells) <= width && short === text) return textOf(cells);
  if (width < 2) return "";
  const tailWidth = Math.floor((width - 2) / 3);
  const head = takeWhileFits(cells, width - 2 - tailWidth);
  const tail = takeWhileFits([...cells].reverse(), tailWidth).reverse();
  return `${textOf(head)}…${textOf(tail)}`;
}

const MAX_ELIDED = 2_000;

/** A command in one row: its first line, and how many more there are. */
export function preview(command: string, width: number): string {
  const end = command.indexOf("\n");
  if (end < 0) return elide(command, width);
  const more = command.split("\n").length - 1;
  const rest = width < 30 ? ` +${more}↵` : ` … +${more} ${more === 1 ? "line" : "lines"}`;
  return elide(command.slice(0, end), Math.max(2, width - rest.length - 1)) + rest;
}

function takeWhileFits(cells: readonly Cell[], width: number): Cell[] {
  let used = 0;
  const end = cells.findIndex(({ budget }) => {
    used += budget;
    return used > width;
  });
  return cells.slice(0, end < 0 ? cells.length : end);
}

/** Text of ours or already made visible, by columns. */
export function widthOf(text: string): number {
  return columnsOf(cellsOf(text));
}

/** Filled up with spaces to so many columns. */
export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
