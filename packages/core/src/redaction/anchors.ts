import type { Rule } from "./rules/index.ts";

/** A rule made ready to run. */
export interface Matcher {
  readonly rule: Rule;
  readonly head: RegExp;
  /** What belongs to the secret behind its head. */
  readonly tail?: RegExp;
  readonly endLine?: RegExp;
  readonly gate?: RegExp;
}

/** What may begin at a place: rules by their anchors, and secrets that are known by their value. */
interface Candidates {
  readonly anchors: Anchor[];
  /** By their first `VALUE_PREFIX` characters. */
  readonly values: Map<string, string[]>;
}

export interface Anchor {
  readonly text: string;
  readonly exact: boolean;
  /** In the order of the rules. */
  readonly matchers: Matcher[];
}

/** Shorter ones would be found in any text. */
export const VALUE_PREFIX = 8;

/**
 * Where anything could begin, in one pass over the text. Two characters are looked at, and where no anchor has them
 * in its first three the next two are skipped (Wu and Manber, 1994). A table of all pairs of ASCII gives the step.
 */
export class Anchors {
  readonly #steps = new Uint8Array(128 * 128).fill(2);
  readonly #candidates = new Map<number, Candidates>();
  /** The first character, and the first two. */
  readonly #starts = new Set<string>();

  constructor(matchers: readonly Matcher[]) {
    for (const matcher of matchers) {
      const exact = matcher.rule.exact === true;
      for (const text of matcher.rule.anchors) {
        for (const start of exact ? [text.slice(0, 3)] : casesOf(text.slice(0, 3))) {
          const { anchors } = this.#at(start);
          const known = anchors.find((anchor) => anchor.text === text && anchor.exact === exact);
          if (known) known.matchers.push(matcher);
          else anchors.push({ text, exact, matchers: [matcher] });
        }
      }
    }
  }

  addValue(value: string): void {
    const { values } = this.#at(value.slice(0, 3));
    const prefix = value.slice(0, VALUE_PREFIX);
    const known = values.get(prefix);
    if (known?.includes(value)) return;
    // The longest first: one may be the beginning of another.
    values.set(
      prefix,
      [...(known ?? []), value].sort((a, b) => b.length - a.length),
    );
  }

  removeValue(value: string): void {
    const { values } = this.#at(value.slice(0, 3));
    const prefix = value.slice(0, VALUE_PREFIX);
    const left = (values.get(prefix) ?? []).filter((known) => known !== value);
    if (left.length === 0) values.delete(prefix);
    else values.set(prefix, left);
  }

  /** The first place at or behind `from` where something could begin; the last two characters are not looked at. */
  next(text: string, from: number): number {
    const last = text.length - 2;
    let at = from;
    while (at < last) {
      const second = text.charCodeAt(at + 1);
      const third = text.charCodeAt(at + 2);
      const step = (second | third) < 128 ? (this.#steps[(second << 7) | third] as number) : 2;
      if (step === 0) {
        if (this.#candidates.has(keyOf(text.charCodeAt(at), second, third))) return at;
        at += 1;
      } else at += step;
    }
    return Math.max(last, from);
  }

  /** The same for the last two: a third would have to follow. */
  nextCut(text: string, from: number): number {
    let at = from;
    while (at < text.length && !this.#starts.has(text.slice(at))) at += 1;
    return at;
  }

  at(text: string, place: number): Candidates | undefined {
    return this.#candidates.get(keyOf(text.charCodeAt(place), text.charCodeAt(place + 1), text.charCodeAt(place + 2)));
  }

  #at(start: string): Candidates {
    const [first = 0, second = 0, third = 0] = [...start].map((character) => character.charCodeAt(0));
    this.#starts.add(start.slice(0, 1)).add(start.slice(0, 2));
    this.#step(first, second, 1);
    this.#step(second, third, 0);
    const key = keyOf(first, second, third);
    const found = this.#candidates.get(key) ?? { anchors: [], values: new Map() };
    this.#candidates.set(key, found);
    return found;
  }

  #step(first: number, second: number, step: number): void {
    const pair = (first << 7) | second;
    this.#steps[pair] = Math.min(this.#steps[pair] as number, step);
  }
}

function keyOf(first: number, second: number, third: number): number {
  return (first << 14) | (second << 7) | third;
}

function casesOf(text: string): string[] {
  let cases = [""];
  for (const character of text) {
    const both = new Set([character.toLowerCase(), character.toUpperCase()]);
    cases = cases.flatMap((start) => [...both].map((end) => start + end));
  }
  return cases;
}
