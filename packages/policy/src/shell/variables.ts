import { textOf, type WordShape } from "../model/index.ts";
import type { Knowledge } from "./state.ts";

/** What one expansion yields. */
export interface Expansion {
  readonly shape: WordShape;
  /** Certainly this text. */
  readonly known?: string;
  readonly guess?: string;
  readonly number?: boolean;
  /** Possibly empty: an unquoted word then vanishes. */
  readonly hollow?: boolean;
  /** Yields any number of fields, even in quotes. */
  readonly many?: boolean;
}

export const OPEN: Expansion = { shape: "variable" };

export const NUMBER: Expansion = { shape: "variable", number: true };

/** Variables that bash sets itself, always to numbers. */
const ALWAYS_NUMBERS = ["RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS"];

/** Looks up `$name`, `$1`, `$?`. */
export function lookUp(name: string, knowledge: Knowledge): Expansion {
  if (name === "@" || name === "*") return { ...OPEN, many: true };
  if (name === "?" || name === "$") return NUMBER;
  // Bash sets it after each command.
  if (name === "_") return OPEN;
  if (name === "HOME") return { ...OPEN, guess: knowledge.home };
  if (name === "PWD") return { ...OPEN, guess: knowledge.cwd };
  if (/^\d+$/.test(name) || name === "#") return lookUpPositional(name, knowledge);
  const value = knowledge.shell.variables.get(name);
  if (value === undefined) return ALWAYS_NUMBERS.includes(name) && !knowledge.shell.foreign ? NUMBER : OPEN;
  const { known, number } = value;
  if (value.downloaded) knowledge.downloaded = true;
  if (known !== undefined) return { shape: "literal", known, guess: known, number };
  knowledge.tries = Math.max(knowledge.tries, value.guesses.length);
  const guess = value.guesses[Math.min(knowledge.suspect ?? 0, value.guesses.length - 1)];
  const hollow = value.hollow === true;
  return assumeGuess({ ...OPEN, number, hollow, ...(guess === undefined ? {} : { guess }) }, knowledge);
}

/** Takes the guess as the value when searching for harm. */
export function assumeGuess(expansion: Expansion, { suspect }: Knowledge): Expansion {
  if (suspect === undefined || expansion.guess === undefined) return expansion;
  return { ...expansion, shape: "literal", known: expansion.guess };
}

function lookUpPositional(name: string, knowledge: Knowledge): Expansion {
  const { positional } = knowledge.shell;
  if (positional === undefined) return name === "#" ? NUMBER : OPEN;
  const { words, open } = positional;
  if (name === "#") return open ? NUMBER : { shape: "literal", known: String(words.length), number: true };
  if (name === "0") return OPEN;
  const word = words[Number(name) - 1];
  if (word === undefined) return open ? OPEN : { shape: "literal", known: "" };
  const { known, guess } = textOf(word, knowledge.home);
  if (known !== undefined) return { shape: "literal", known, guess: known, number: word.number === true };
  if (guess !== undefined) knowledge.tries = Math.max(knowledge.tries, 1);
  return assumeGuess({ ...OPEN, ...(guess === undefined ? {} : { guess }) }, knowledge);
}
