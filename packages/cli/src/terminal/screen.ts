import { cellsOf, textOf } from "./cells.ts";

/** What a piece of text means; how that looks is the terminal's matter. */
export type Style = "bold" | "dim" | "danger" | "warn" | "good";

export interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
}
export type Line = readonly Piece[];

export interface Screen {
  readonly lines: readonly Line[];
  /** Where the person types; hidden otherwise. Counted from 0. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export function piece(text: string, style?: Style): Piece {
  return { text, style };
}

export function line(text: string, style?: Style): Line {
  return [piece(text, style)];
}

export function plain(each: Line): string {
  return each.map(({ text }) => text).join("");
}

/** Never wider than the screen. The last guard: whoever makes a line has fitted it already. */
export function clip(each: Line, columns: number): Line {
  let left = columns;
  return each.map(({ text, style }) => {
    const cells = cellsOf(text);
    const end = cells.findIndex((cell) => {
      left -= cell.columns;
      return left < 0;
    });
    return { text: end < 0 ? textOf(cells) : textOf(cells.slice(0, end)), style };
  });
}

const COLOURS: Record<Style, string> = { bold: "1", dim: "2", danger: "1;31", warn: "33", good: "32" };
const WITHOUT: Record<Style, string> = { bold: "1", dim: "2", danger: "1", warn: "", good: "" };

export function paintLine(each: Line, { colour }: { colour: boolean }): string {
  return each
    .map(({ text, style }) => {
      const code = style === undefined ? "" : (colour ? COLOURS : WITHOUT)[style];
      return code === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
    })
    .join("");
}
