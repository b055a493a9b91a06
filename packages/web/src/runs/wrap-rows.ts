import type { Span } from "../text/index.ts";

/** Computes the rows that lines take when they are wrapped. */
export interface WrappedRows {
  readonly total: number;
  /** The line of a row, and the index of the row within the line. */
  at(row: number): { readonly line: number; readonly part: number };
  /** The first row of a line. */
  rowOf(line: number): number;
}

/** `lengthOf` returns the columns of each of `count` lines; without `columns` nothing is wrapped. */
export function wrapRows(count: number, lengthOf: (line: number) => number, columns: number | undefined): WrappedRows {
  if (columns === undefined) {
    return { total: count, at: (row) => ({ line: row, part: 0 }), rowOf: (line) => line };
  }
  const ends = new Uint32Array(count);
  let total = 0;
  for (let line = 0; line < count; line += 1) {
    total += Math.max(1, Math.ceil(lengthOf(line) / columns));
    ends[line] = total;
  }
  const rowOf = (line: number) => (line === 0 ? 0 : (ends[line - 1] ?? total));
  return {
    total,
    rowOf,
    at(row) {
      let [low, high] = [0, count - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] as number) > row) high = middle;
        else low = middle + 1;
      }
      return { line: low, part: row - rowOf(low) };
    },
  };
}

/** The part of a line in one of its rows. */
export function partOf(spans: readonly Span[], part: number, columns: number): readonly Span[] {
  const [from, to] = [part * columns, (part + 1) * columns];
  const found: Span[] = [];
  let column = 0;
  for (const { text, classes } of spans) {
    const characters = /[\ud800-\udfff]/.test(text) ? [...text] : undefined;
    const length = characters?.length ?? text.length;
    const [start, end] = [Math.max(0, from - column), Math.max(0, to - column)];
    const piece = characters ? characters.slice(start, end).join("") : text.slice(start, end);
    if (piece !== "") found.push({ text: piece, classes });
    column += length;
    if (column >= to) break;
  }
  return found;
}

export function columnsOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + (/[\ud800-\udfff]/.test(text) ? [...text].length : text.length), 0);
}
