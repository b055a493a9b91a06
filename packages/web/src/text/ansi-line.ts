/** Text in one style. `classes` are from the closed set of `ansi-style.ts`. */
export interface Span {
  readonly text: string;
  readonly classes: string;
}

interface Cell {
  readonly character: string;
  readonly classes: string;
}

/** Longer lines are wrapped. */
export const MAX_COLUMNS = 1_000;
const TAB = 8;
const BLANK: Cell = { character: " ", classes: "" };

/**
 * The line being written, and its cursor column. Text after a carriage return or backspace overwrites. A column is a character. Until the
 * cursor first moves back, text is only appended.
 */
export class AnsiLine {
  #spans: Span[] = [];
  /** The whole line as single characters, after the cursor first moved back. */
  #cells: Cell[] | undefined;
  #length = 0;
  #column = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Writes at the cursor, and returns the text that doesn't fit. */
  write(text: string, classes: string): string {
    const isSimple = !/[\ud800-\udfff]/.test(text);
    const characters = isSimple ? undefined : [...text];
    const length = characters?.length ?? text.length;
    const room = MAX_COLUMNS - this.#column;
    const [fits, rest] =
      length <= room
        ? [text, ""]
        : characters
          ? [characters.slice(0, room).join(""), characters.slice(room).join("")]
          : [text.slice(0, room), text.slice(room)];
    if (fits !== "") this.#put(fits, { classes, length: Math.min(length, room) });
    return rest;
  }

  #put(text: string, { classes, length }: { readonly classes: string; readonly length: number }): void {
    if (!this.#cells && this.#column === this.#length) {
      const last = this.#spans.at(-1);
      if (last?.classes === classes) this.#spans[this.#spans.length - 1] = { text: last.text + text, classes };
      else this.#spans.push({ text, classes });
      this.#length += length;
      this.#column = this.#length;
      return;
    }
    const cells = this.#inCells();
    while (cells.length < this.#column) cells.push(BLANK);
    for (const character of text) {
      cells[this.#column] = { character, classes };
      this.#column += 1;
    }
    this.#length = cells.length;
  }

  moveTo(column: number): void {
    this.#column = Math.min(Math.max(column, 0), MAX_COLUMNS - 1);
  }

  moveBy(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  tab(): void {
    const next = Math.min((Math.floor(this.#column / TAB) + 1) * TAB, MAX_COLUMNS);
    if (!this.#cells && this.#column === this.#length) this.write(" ".repeat(next - this.#column), "");
    else this.moveTo(next);
  }

  eraseAfter(): void {
    if (this.#column >= this.#length) return;
    if (this.#column === 0) this.#clear();
    else {
      const cells = this.#inCells();
      cells.length = this.#column;
      this.#length = cells.length;
    }
  }

  eraseBefore(): void {
    if (this.#column + 1 >= this.#length) return this.#clear();
    this.#inCells().fill(BLANK, 0, this.#column + 1);
  }

  eraseAll(): void {
    this.#clear();
  }

  spans(): readonly Span[] {
    if (!this.#cells) return [...this.#spans];
    const spans: { text: string; classes: string }[] = [];
    for (const { character, classes } of this.#cells) {
      const last = spans.at(-1);
      if (last?.classes === classes) last.text += character;
      else spans.push({ text: character, classes });
    }
    return spans;
  }

  /** Clears the line; the cursor stays. */
  #clear(): void {
    this.#spans = [];
    this.#length = 0;
    this.#cells = this.#column === 0 ? undefined : [];
  }

  #inCells(): Cell[] {
    this.#cells ??= this.#spans.flatMap(({ text, classes }) => [...text].map((character) => ({ character, classes })));
    return this.#cells;
  }
}
