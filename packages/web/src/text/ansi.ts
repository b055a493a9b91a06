import { AnsiLine, type Span } from "./ansi-line.ts";
import { type AnsiStyle, applySgr, classesOf, PLAIN } from "./ansi-style.ts";

/** Receives the lines. The last one is still being written. */
export interface AnsiLines {
  /** The line being written. */
  readonly open: AnsiLine;
  /** The open line is complete; `wraps`: it reached the maximum length and continues in the next. */
  finish(wraps: boolean): void;
}

/** The most characters of a control sequence's parameters, and of an unterminated string before it is shown as text. */
const MAX_SEQUENCE = 256;
const MAX_STRING = 4_096;

type State = "text" | "escape" | "intermediate" | "csi" | "string" | "string-escape";

/** Line ends, cursor movement within the line, the bell, and ESC. */
const SPECIAL = /[\n\r\b\t\x07\x1b]/g;

/**
 * Reads a terminal stream into lines of styled text. Colours and weights become class names. Carriage return, backspace, tab, erasing and
 * moving within the line work. Every other escape is dropped: titles, links, cursor addressing, screens, clipboards. A sequence may be split
 * between two pieces. Other control characters stay in the text, for `VisibleText` to show.
 */
export class AnsiReader {
  readonly #lines: AnsiLines;
  #state: State = "text";
  #sequence = "";
  #skipped = 0;
  #style: AnsiStyle = PLAIN;
  #classes = "";
  /** The first half of a surrogate pair, until the other half arrives. */
  #held = "";

  constructor(lines: AnsiLines) {
    this.#lines = lines;
  }

  push(chunk: string): void {
    const all = this.#held + chunk;
    const isCut = /[\ud800-\udbff]$/.test(all);
    this.#held = isCut ? all.slice(-1) : "";
    const text = isCut ? all.slice(0, -1) : all;
    for (let at = 0; at < text.length; )
      at = this.#state === "text" ? this.#read(text, at) : this.#readEscape(text, at);
  }

  /** Discards unfinished sequences and the style, after a gap in the stream. */
  reset(): void {
    this.#state = "text";
    this.#held = "";
    this.#setStyle(PLAIN);
  }

  #read(text: string, at: number): number {
    SPECIAL.lastIndex = at;
    const end = SPECIAL.exec(text)?.index ?? text.length;
    for (let rest = text.slice(at, end); rest !== ""; ) {
      rest = this.#lines.open.write(rest, this.#classes);
      if (rest !== "") this.#lines.finish(true);
    }
    if (end === text.length) return end;
    this.#control(text[end] as string);
    return end + 1;
  }

  #control(character: string): void {
    if (character === "\n") return this.#lines.finish(false);
    const { open } = this.#lines;
    if (character === "\r") open.moveTo(0);
    else if (character === "\b") open.moveBy(-1);
    else if (character === "\t") open.tab();
    else if (character === "\x1b") this.#state = "escape";
  }

  /** Reads one character of an escape; returns the same index if it isn't part of one. */
  #readEscape(text: string, at: number): number {
    const character = text[at] as string;
    switch (this.#state) {
      case "escape":
        return this.#begin(character) ? at + 1 : at;
      case "intermediate":
        if (/[ -/]/.test(character)) return this.#skip(at);
        this.#state = "text";
        return /[0-~]/.test(character) ? at + 1 : at;
      case "csi":
        return this.#readCsi(character, at);
      case "string":
        return this.#readString(character, at);
      default:
        // The end of the string, or its end and the start of another escape.
        this.#state = character === "\\" ? "text" : "escape";
        return character === "\\" ? at + 1 : at;
    }
  }

  /** Reads the character after ESC (ECMA-48, 5.4 to 5.6). */
  #begin(character: string): boolean {
    this.#sequence = "";
    this.#skipped = 0;
    if (character === "[") this.#state = "csi";
    else if (/[\]PX^_]/.test(character)) this.#state = "string";
    else if (/[ -/]/.test(character)) this.#state = "intermediate";
    else {
      this.#state = "text";
      return /[0-~]/.test(character);
    }
    return true;
  }

  #readCsi(character: string, at: number): number {
    if (/[ -?]/.test(character)) {
      this.#sequence += character;
      if (this.#sequence.length > MAX_SEQUENCE) this.#state = "text";
      return at + 1;
    }
    this.#state = "text";
    if (!/[@-~]/.test(character)) return at;
    this.#run(character, this.#sequence);
    return at + 1;
  }

  /** Skips titles, links and pictures. A string that never ends must not hide the text after it. */
  #readString(character: string, at: number): number {
    if (character === "\x1b") this.#state = "string-escape";
    else if (character === "\x07") this.#state = "text";
    else if (character === "\n" || character === "\x18" || character === "\x1a") {
      this.#state = "text";
      return at;
    } else return this.#skip(at);
    return at + 1;
  }

  #skip(at: number): number {
    this.#skipped += 1;
    if (this.#skipped >= MAX_STRING) this.#state = "text";
    return at + 1;
  }

  #run(final: string, params: string): void {
    if (!/^[0-9;:]*$/.test(params)) return;
    const { open } = this.#lines;
    const count = Math.max(Number.parseInt(params, 10) || 0, 1);
    if (final === "m") this.#setStyle(applySgr(this.#style, params));
    else if (final === "K") erase(open, params);
    else if (final === "G") open.moveTo(count - 1);
    else if (final === "C") open.moveBy(count);
    else if (final === "D") open.moveBy(-count);
  }

  #setStyle(style: AnsiStyle): void {
    this.#style = style;
    this.#classes = classesOf(style);
  }
}

function erase(line: AnsiLine, params: string): void {
  if (params === "1") line.eraseBefore();
  else if (params === "2") line.eraseAll();
  else if (params === "" || params === "0") line.eraseAfter();
}

/** Reads a complete text. */
export function readAnsi(text: string): (readonly Span[])[] {
  const lines: (readonly Span[])[] = [];
  let open = new AnsiLine();
  const reader = new AnsiReader({
    get open() {
      return open;
    },
    finish() {
      lines.push(open.spans());
      open = new AnsiLine();
    },
  });
  reader.push(text);
  return open.isEmpty ? lines : [...lines, open.spans()];
}
