import type { Told } from "./plain-secrets.ts";

const ESCAPE = "\x1b";
const BRACKET = 0x5b;
const LONGEST = 40;
/** Of those that stand together. What is more is text like any other, so that no more than this is held for each character. */
const MOST_TOGETHER = 256;

interface Escape {
  /** How many characters of the text come before it. */
  readonly at: number;
  /** Where it stands in its chunk: mostly nobody needs its text. */
  readonly chunk: string;
  readonly pos: number;
  readonly end: number;
}

/**
 * Takes the colours and other control sequences of terminals out of a text that arrives in chunks, and puts them back into what
 * is told of it. Programs put them into the middle of words: `grep --color` into a token, behind the prefix that was searched
 * for.
 */
export class Escapes {
  #taken: Escape[] = [];
  /** Characters without escapes: how many came, and how many were told. */
  #came = 0;
  #told = 0;
  #begun = "";
  /** Characters of the escapes behind the last character that was none. */
  #together = 0;
  /** With its escapes, what came since all was told. */
  #whole: string | undefined;

  /** The text without them. */
  takeOut(chunk: string, ended: boolean): string {
    const text = this.#begun + chunk;
    const settled = this.#told === this.#came && this.#taken.length === 0;
    this.#begun = "";
    const hasEscape = text.includes(ESCAPE);
    if (!hasEscape && text !== "") this.#together = 0;
    const plain = hasEscape ? this.#split(text, ended) : text;
    this.#came += plain.length;
    this.#whole = settled ? text.slice(0, text.length - this.#begun.length) : undefined;
    return plain;
  }

  /** Where something is hidden, they come behind it: the colour that ends there ends. */
  putBack(told: readonly Told[]): string {
    let end = this.#told;
    let text = "";
    let asItIs = this.#whole !== undefined;
    for (const piece of told) {
      end += piece.covers;
      text += piece.text;
      asItIs &&= !piece.hidden;
    }
    if (this.#taken.length > 0) {
      if (this.#whole === undefined || !asItIs || end < this.#came) return this.#weave(told);
      text = this.#whole;
      this.#taken = [];
    }
    this.#told = end;
    return text;
  }

  #split(text: string, ended: boolean): string {
    const plain: string[] = [];
    let came = this.#came;
    let from = 0;
    for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, at + 1)) {
      const end = endOf(text, at);
      if (at > from) this.#together = 0;
      if (end === undefined && !ended) {
        this.#begun = text.slice(at);
        plain.push(text.slice(from, at));
        return plain.join("");
      }
      this.#together += (end ?? at) - at;
      if (end === undefined || end === at || this.#together > MOST_TOGETHER) continue;
      plain.push(text.slice(from, at));
      came += at - from;
      this.#taken.push({ at: came, chunk: text, pos: at, end });
      from = end;
      at = end - 1;
    }
    if (text.length > from) this.#together = 0;
    plain.push(text.slice(from));
    return plain.join("");
  }

  #weave(told: readonly Told[]): string {
    const text: string[] = [];
    let next = 0;
    const upTo = (place: number) => {
      for (let one = this.#taken[next]; one && one.at <= place; one = this.#taken[++next])
        text.push(one.chunk.slice(one.pos, one.end));
    };
    for (const piece of told) {
      upTo(this.#told);
      const end = this.#told + piece.covers;
      let from = this.#told;
      for (let one = this.#taken[next]; !piece.hidden && one && one.at < end; one = this.#taken[next]) {
        text.push(piece.text.slice(from - this.#told, one.at - this.#told));
        from = one.at;
        upTo(from);
      }
      text.push(piece.text.slice(from - this.#told));
      this.#told = end;
    }
    upTo(this.#told);
    this.#taken = this.#taken.slice(next);
    return text.join("");
  }
}

/**
 * Where the escape that begins at `at` ends: a control sequence (ECMA-48, section 5.4) is ESC [, parameters, intermediates and a
 * final byte; the choice of a character set is ESC ( or ESC ) and one character. `at` itself where none begins, undefined where
 * the text ends before that can be said.
 */
function endOf(text: string, at: number): number | undefined {
  const kind = text.charCodeAt(at + 1);
  if (kind === 0x28 || kind === 0x29) return at + 2 < text.length ? at + 3 : undefined;
  if (kind !== BRACKET) return at + 1 < text.length ? at : undefined;
  const last = Math.min(text.length, at + LONGEST);
  let end = at + 2;
  while (end < last && within(text, end, 0x30, 0x3f)) end += 1;
  while (end < last && within(text, end, 0x20, 0x2f)) end += 1;
  if (end === last) return last === text.length && last < at + LONGEST ? undefined : at;
  return within(text, end, 0x40, 0x7e) ? end + 1 : at;
}

function within(text: string, at: number, low: number, high: number): boolean {
  const code = text.charCodeAt(at);
  return code >= low && code <= high;
}
