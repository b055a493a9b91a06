/** A place in program text. Its patterns must be sticky (`y`) and take time linear in what they match. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The character here, or "" at the end. */
  get here(): string {
    return this.text[this.at] ?? "";
  }

  next(): string {
    const character = this.here;
    this.at += 1;
    return character;
  }

  /** Moves past what the pattern matches here; undefined when it doesn't. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}
