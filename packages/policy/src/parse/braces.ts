import type { WordPart } from "unbash";
import { MAX_BRACE_WORDS } from "../model/index.ts";

/** Lists of names and numbers; quotes, expansions and nested braces aren't read. */
const LIST = /^\{[\w./@%+:-]*(?:,[\w./@%+:-]*)+\}$/;
const NUMBERS = /^\{(-?[1-9]\d{0,8}|0)\.\.(-?[1-9]\d{0,8}|0)\}$/;
const LETTERS = /^\{(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))\}$/;

/** Expands the braces of a word into words, each as its parts; undefined if the result isn't known. */
export function expandBraces(parts: readonly WordPart[]): (readonly WordPart[])[] | undefined {
  let words: WordPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    if (part.type === "BraceExpansion" && joinsName(parts[index - 1])) return undefined;
    const choices = part.type === "BraceExpansion" ? readChoices(part.text) : [undefined];
    if (choices === undefined || choices.length * words.length > MAX_BRACE_WORDS) return undefined;
    words = words.flatMap((word) =>
      choices.map((choice): WordPart[] =>
        choice === undefined
          ? [...word, part]
          : [...word, { type: "Literal", pos: part.pos, end: part.end, value: choice, text: choice }],
      ),
    );
  }
  return words;
}

/** Reports whether braces extend a variable's name: `$x{a,b}` is `$xa $xb`, because braces are expanded first. */
function joinsName(before: WordPart | undefined): boolean {
  return before?.type === "SimpleExpansion" || (before?.type === "Literal" && /[$\\]$/.test(before.text));
}

function readChoices(text: string): readonly string[] | undefined {
  if (LIST.test(text)) return text.slice(1, -1).split(",");
  const numbers = NUMBERS.exec(text);
  if (numbers) return count(Number(numbers[1]), Number(numbers[2]), String);
  const letters = LETTERS.exec(text);
  if (!letters) return undefined;
  const code = (letter: string | undefined) => (letter ?? "").charCodeAt(0);
  return count(code(letters[1] ?? letters[3]), code(letters[2] ?? letters[4]), (one) => String.fromCharCode(one));
}

function count(from: number, to: number, write: (number: number) => string): string[] | undefined {
  const length = Math.abs(to - from) + 1;
  if (length > MAX_BRACE_WORDS) return undefined;
  const step = from <= to ? 1 : -1;
  return Array.from({ length }, (_, index) => write(from + index * step));
}
