import { visible } from "@countersign/protocol/text";

const TAB = 8;
/** Everything but ASCII may be drawn twice as wide as one thinks; see `watch/cells.ts`. */
const ASCII = /^[\x20-\x7e]$/;

/**
 * What somebody else says, as it comes, for a terminal: behind a margin in every row, and broken before the edge. So none of it
 * can stand where our own lines begin, and nothing that a terminal would obey gets through.
 */
export class IndentedText {
  readonly #margin: string;
  readonly #width: () => number;
  #column = 0;

  constructor(margin: string, width: () => number) {
    this.#margin = margin;
    this.#width = width;
  }

  /** Whether the last row has something in it. */
  get isOpen(): boolean {
    return this.#column > 0;
  }

  push(text: string): string {
    let out = "";
    for (const character of text) {
      if (character === "\n") {
        out += this.#column === 0 ? `${this.#margin}\r\n` : "\r\n";
        this.#column = 0;
        continue;
      }
      const shown = character === "\t" ? " ".repeat(TAB - (this.#column % TAB)) : visible(character);
      const columns = ASCII.test(character) ? 1 : Math.max(shown.length, 2);
      if (this.#column > 0 && this.#margin.length + this.#column + columns > this.#width()) {
        out += "\r\n";
        this.#column = 0;
      }
      if (this.#column === 0) out += this.#margin;
      out += shown;
      this.#column += columns;
    }
    return out;
  }

  /** Ends a row that is open. */
  end(): string {
    const open = this.isOpen;
    this.#column = 0;
    return open ? "\r\n" : "";
  }
}
