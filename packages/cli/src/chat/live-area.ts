import { type Line, paintLine } from "../terminal/index.ts";

export interface Area {
  /** None wider than the terminal. */
  readonly lines: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

const NOTHING: Area = { lines: [] };
type Output = Pick<typeof process.stdout, "write">;

/**
 * The lowest rows of the terminal, which are drawn again and again, below what was said and stays. Nothing is kept on another
 * screen: what was said can be scrolled back to.
 */
export class LiveArea {
  readonly #output: Output;
  readonly #colour: boolean;
  #painted = "";
  /** Where the cursor stands in it, from its first row. */
  #row = 0;

  constructor(output: Output, { colour }: { readonly colour: boolean }) {
    this.#output = output;
    this.#colour = colour;
  }

  /** Says something above it. The text ends its own rows. */
  say(text: string): void {
    const wiped = this.#wipe();
    this.#painted = "";
    this.#output.write(wiped + text);
  }

  paint({ lines, cursor }: Area = NOTHING): void {
    const rows = lines.map((each) => paintLine(each, { colour: this.#colour }));
    const last = rows.length - 1;
    const at = cursor ?? { row: Math.max(last, 0), column: 0 };
    const up = last > at.row ? `\x1b[${last - at.row}A` : "";
    const show = cursor ? "\x1b[?25h" : "\x1b[?25l";
    const painted = rows.length === 0 ? "" : `${rows.join("\r\n")}${up}\r${right(at.column)}${show}`;
    if (painted === this.#painted) return;
    this.#output.write(this.#wipe() + painted);
    this.#painted = painted;
    this.#row = rows.length === 0 ? 0 : at.row;
  }

  #wipe(): string {
    if (this.#painted === "") return "";
    const up = this.#row > 0 ? `\x1b[${this.#row}A` : "";
    this.#row = 0;
    return `${up}\r\x1b[J`;
  }
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : "";
}
