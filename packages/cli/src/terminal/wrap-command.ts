import { type Cell, cellsOf, wrap } from "./cells.ts";

/** One row of a command as it is drawn. */
export interface CommandRow {
  /** `$` where the command begins, `>` at its further lines, `+` where a line goes on. */
  readonly mark: "$" | ">" | "+";
  readonly cells: readonly Cell[];
  /** The part of the command that it shows, in UTF-16 offsets. */
  readonly pos: number;
  readonly end: number;
}

/**
 * All of a command in rows of at most `room` columns. Every row has a mark to stand before it; what is ours has none, so
 * that a command can't draw remarks about itself.
 */
export function wrapCommand(command: string, room: number): CommandRow[] {
  const rows: CommandRow[] = [];
  let at = 0;
  for (const [index, line] of command.split("\n").entries()) {
    for (const [part, cells] of wrap(cellsOf(line, at), room).entries()) {
      const mark = part > 0 ? "+" : index > 0 ? ">" : "$";
      rows.push({ mark, cells, pos: cells[0]?.at ?? at, end: (cells.at(-1)?.at ?? at) + 1 });
    }
    at += line.length + 1;
  }
  return rows;
}
