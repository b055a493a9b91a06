import { StringDecoder } from "node:string_decoder";

/** What the person at the terminal did. */
export type Key =
  | { readonly kind: "char"; readonly char: string }
  /** Several characters at once: a paste, or keys that nobody typed. */
  | { readonly kind: "paste"; readonly text: string }
  | {
      readonly kind:
        | "up"
        | "down"
        | "left"
        | "right"
        | "home"
        | "end"
        | "delete"
        | "page-up"
        | "page-down"
        | "enter"
        | "escape"
        | "backspace"
        | "clear-line"
        | "interrupt"
        | "redraw";
    };

/** No finger is so fast; so what comes closer together than this was pasted, or sent by a program. */
export const BURST_MS = 10;
/** How long the rest of an escape sequence may take over a slow line, before it was the Escape key. */
const ESCAPE_MS = 60;
/** A paste whose end got lost must not swallow the keyboard for ever. */
const PASTE_SILENCE_MS = 1_000;
const MAX_PASTE = 64 * 1024;

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";
const CSI = /^\x1b\[[0-?]*[ -/]*[@-~]/;
const SS3 = /^\x1bO[\s\S]/;
const UNFINISHED = /^\x1b(?:O|\[[0-?]*[ -/]*)?$/;
const SEQUENCES: Readonly<Record<string, Key>> = {
  A: { kind: "up" },
  B: { kind: "down" },
  C: { kind: "right" },
  D: { kind: "left" },
  H: { kind: "home" },
  F: { kind: "end" },
  "1~": { kind: "home" },
  "3~": { kind: "delete" },
  "4~": { kind: "end" },
  "5~": { kind: "page-up" },
  "6~": { kind: "page-down" },
};
const CONTROLS: Readonly<Record<string, Key>> = {
  "\r": { kind: "enter" },
  "\n": { kind: "enter" },
  "\x7f": { kind: "backspace" },
  "\b": { kind: "backspace" },
  "\x01": { kind: "home" },
  "\x05": { kind: "end" },
  "\x15": { kind: "clear-line" },
  "\x0c": { kind: "redraw" },
};

/**
 * Bytes from a terminal to keys. A character is held until it is certain that nothing follows on its heels, so that not
 * even the first one of a burst counts as a key. The clock is the caller's: `push` with each chunk, `flush` when
 * `dueInMs` has passed.
 */
export class KeyReader {
  readonly #decoder = new StringDecoder("utf8");
  #held = "";
  #burst = false;
  #unfinished = "";
  #paste: string | undefined;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  push(bytes: Uint8Array, nowMs: number): Key[] {
    const keys = this.flush(nowMs);
    if (this.#paste !== undefined && nowMs - this.#lastAtMs > PASTE_SILENCE_MS) keys.push(...this.#endPaste());
    this.#lastAtMs = nowMs;
    let rest = this.#unfinished + this.#decoder.write(Buffer.from(bytes));
    this.#unfinished = "";
    for (let tokens = this.#held === "" ? 0 : 1; rest !== ""; tokens += 1) {
      const { length, emitted } = this.#take(rest);
      if (length === 0) break;
      if (tokens > 0) this.#burst = true;
      rest = rest.slice(length);
      keys.push(...emitted);
    }
    return keys;
  }

  /** What is certain by now. */
  flush(nowMs: number): Key[] {
    const silentMs = nowMs - this.#lastAtMs;
    const keys = silentMs >= BURST_MS ? this.#release() : [];
    if (this.#unfinished !== "" && silentMs >= ESCAPE_MS) {
      // More than the one byte is a sequence that was cut off; it means nothing.
      if (this.#unfinished === "\x1b") keys.push({ kind: "escape" });
      this.#unfinished = "";
    }
    return keys;
  }

  /** When to flush, if anything is held. */
  dueInMs(): number | undefined {
    if (this.#held !== "") return BURST_MS;
    return this.#unfinished === "" ? undefined : ESCAPE_MS;
  }

  /** The first token of the text; length 0 when its end hasn't come yet. */
  #take(text: string): { length: number; emitted: Key[] } {
    if (this.#paste !== undefined) return this.#takePasted(text, this.#paste);
    if (text.startsWith(PASTE_BEGINS)) {
      this.#paste = "";
      return { length: PASTE_BEGINS.length, emitted: [] };
    }
    if (text.startsWith("\x1b")) return this.#takeEscape(text);
    const [char = ""] = text;
    // Always, and at once.
    if (char === "\x03") return { length: 1, emitted: [...this.#release(), { kind: "interrupt" }] };
    this.#held += char;
    return { length: char.length, emitted: [] };
  }

  #takeEscape(text: string): { length: number; emitted: Key[] } {
    if (UNFINISHED.test(text)) {
      this.#unfinished = text;
      return { length: 0, emitted: [] };
    }
    const sequence = (CSI.exec(text) ?? SS3.exec(text))?.[0];
    // Alt with a key: not that key.
    if (sequence === undefined) return { length: text.startsWith("\x1b\x1b") ? 1 : 2, emitted: [] };
    const key = SEQUENCES[sequence.slice(2)];
    return { length: sequence.length, emitted: key ? [key] : [] };
  }

  #takePasted(text: string, before: string): { length: number; emitted: Key[] } {
    const whole = before + text;
    const end = whole.indexOf(PASTE_ENDS);
    if (end < 0) {
      // The end mark may come in two pieces: what is kept is searched again with the next.
      this.#paste = whole.slice(-MAX_PASTE);
      return { length: text.length, emitted: [] };
    }
    this.#paste = whole.slice(0, end);
    return { length: end + PASTE_ENDS.length - before.length, emitted: this.#endPaste() };
  }

  #endPaste(): Key[] {
    const text = this.#paste ?? "";
    this.#paste = undefined;
    return [{ kind: "paste", text }];
  }

  #release(): Key[] {
    const held = this.#held;
    const burst = this.#burst;
    this.#held = "";
    this.#burst = false;
    if (held === "") return [];
    const single = CONTROLS[held];
    if (!burst) return single ? [single] : isPrintable(held) ? [{ kind: "char", char: held }] : [];
    // A key that is held down, over a slow line.
    if (/^\x7f+$/.test(held)) return [...held].map(() => ({ kind: "backspace" }));
    return [{ kind: "paste", text: held }];
  }
}

function isPrintable(char: string): boolean {
  return !/^\p{C}$/u.test(char);
}
