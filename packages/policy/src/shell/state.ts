import type { Function as FunctionNode } from "unbash";
import { MAX_BRACE_WORDS, MAX_GUESSES, MAX_VALUE_LENGTH, type Span, textOf, type Word } from "../model/index.ts";

/** What is known about a variable. An unset one may have any value, because the environment isn't known. */
export interface Value {
  /** Certainly this text. */
  readonly known?: string;
  /** Certainly a decimal number: arithmetic with it runs no code. */
  readonly number: boolean;
  /** Printed by a program, so it may be empty. */
  readonly hollow?: true;
  /** Possible values, latest first. Good enough to find harm, never to prove safety. */
  readonly guesses: readonly string[];
  /** The text with `WILD` for each unknown part, if only parts are known. */
  readonly mask?: string;
  /** Certainly an array of these. */
  readonly elements?: readonly string[];
  /** Perhaps an array of these. */
  readonly guessedElements?: readonly string[];
  /** Set by `readonly`: a later assignment fails and ends the line. */
  readonly fixed?: true;
  readonly exported?: true;
  readonly downloaded?: true;
  /** A loop relies on this being a number in every round. */
  readonly counts?: true;
}

/** A function's body, and the frame that its nodes' offsets refer to. */
export interface Definition {
  readonly node: FunctionNode;
  readonly frame: Frame;
  called: boolean;
}

export interface DefinedFunction {
  /** False if it may be undefined, or defined differently. */
  readonly certain: boolean;
  readonly definitions: readonly Definition[];
}

/** `$1` and further. */
export interface Positional {
  readonly words: readonly Word[];
  /** An earlier word may expand to several or none, so these may be shifted. */
  readonly open: boolean;
}

/** The state of one bash process at one point. Maps are replaced, never changed, so a shallow copy is a fork. */
export interface ShellState {
  variables: ReadonlyMap<string, Value>;
  functions: ReadonlyMap<string, DefinedFunction>;
  /** Undefined if nothing is known about them. */
  positional: Positional | undefined;
  /**
   * An earlier expansion may have failed. Bash then skips the rest of the line, so assignments on it may not happen.
   */
  fragile: boolean;
  /** Another shell than our bash: nothing in its state is certain. */
  readonly foreign: boolean;
}

export type Snapshot = Readonly<Pick<ShellState, "variables" | "functions" | "positional">>;

export const UNKNOWN: Value = { number: false, guesses: [] };

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

export function newShell(foreign = false): ShellState {
  return { variables: NOTHING, functions: NOTHING, positional: undefined, fragile: false, foreign };
}

/** Returns the state of a new process that inherits exported variables: all of it possible, none certain. */
export function startShell(parent: ShellState, foreign: boolean): ShellState {
  const variables = new Map([...parent.variables].map(([name, value]) => [name, doubt(value, undefined)]));
  return { ...newShell(foreign), variables };
}

/** Returns the frame of a forked process: it starts with its parent's state and changes none of it. */
export function fork(frame: Frame): Frame {
  return { ...frame, directory: { ...frame.directory }, shell: { ...frame.shell } };
}

export function knownValue(text: string): Value {
  if (text.length > MAX_VALUE_LENGTH) return UNKNOWN;
  // No leading zero: bash reads it as octal, and 08 is an error.
  return { known: text, number: /^(-?[1-9]\d{0,17}|0)$/.test(text), guesses: [text] };
}

/** Returns the value of a variable that is set to this word. */
export function wordValue(word: Word, home: string): Value {
  const { known, guess } = textOf(word, home);
  if (known !== undefined) return knownValue(known);
  const guesses = guess === undefined || guess.length > MAX_VALUE_LENGTH ? [] : [guess];
  const hollow = word.shape === "substitution" ? { hollow: true as const } : {};
  const mask = word.mask.length > MAX_VALUE_LENGTH ? {} : { mask: word.mask };
  return { number: word.number === true, guesses, ...mask, ...hollow };
}

export function arrayValue(words: readonly Word[], home: string): Value {
  const texts = words.map((word) => textOf(word, home));
  const elements = texts.flatMap(({ known }) => known ?? []);
  if (elements.length === words.length && words.length <= MAX_BRACE_WORDS)
    return { number: false, guesses: [], elements };
  return {
    number: false,
    guesses: [],
    guessedElements: texts.flatMap(({ guess }) => guess ?? []).slice(0, MAX_BRACE_WORDS),
  };
}

/** Appends, as `name+=text` does. Appending to an array makes its value unknown unless both are arrays. */
export function append(before: Value | undefined, value: Value): Value {
  if (before?.known !== undefined && value.known !== undefined) return knownValue(before.known + value.known);
  const both = before?.elements && value.elements ? [...before.elements, ...value.elements] : undefined;
  const elements = both !== undefined && both.length <= MAX_BRACE_WORDS ? { elements: both } : {};
  const guesses = (before?.guesses ?? []).flatMap((one) => value.guesses.map((other) => one + other));
  return {
    number: false,
    guesses: guesses.filter((one) => one.length <= MAX_VALUE_LENGTH).slice(0, MAX_GUESSES),
    ...elements,
  };
}

/** Returns the words up to the first that may expand to several words or to none. */
export function positionalOf(words: readonly Word[]): Positional {
  const end = words.findIndex((word) => !word.single);
  return end === -1 ? { words, open: false } : { words: words.slice(0, end), open: true };
}

export function assign(shell: ShellState, name: string, value: Value): void {
  const before = shell.variables.get(name);
  const doubtful = shell.fragile || shell.foreign || before?.fixed;
  const next = doubtful ? doubt(value, before) : value;
  const kept = {
    ...(before?.exported ? { exported: true as const } : {}),
    ...(before?.counts ? { counts: true as const } : {}),
  };
  shell.variables = new Map(shell.variables).set(name, { ...next, ...kept });
}

export function define(shell: ShellState, name: string, definition: Definition): void {
  const before = shell.functions.get(name);
  const certain = !shell.fragile && !shell.foreign;
  const definitions = certain ? [definition] : [definition, ...(before?.definitions ?? [])].slice(0, MAX_GUESSES);
  shell.functions = new Map(shell.functions).set(name, { certain, definitions });
}

export function undefine(shell: ShellState, name: string): void {
  const functions = new Map(shell.functions);
  functions.delete(name);
  shell.functions = functions;
}

export function snapshot({ variables, functions, positional }: ShellState): Snapshot {
  return { variables, functions, positional };
}

/** Makes everything set since `before` uncertain: the code in between may not have run. */
export function doubtSince(shell: ShellState, before: Snapshot): void {
  if (shell.variables !== before.variables) {
    const variables = new Map(shell.variables);
    for (const [name, value] of shell.variables) {
      const old = before.variables.get(name);
      if (old === value || (old?.known !== undefined && old.known === value.known)) continue;
      variables.set(name, doubt(value, old));
    }
    shell.variables = variables;
  }
  if (shell.positional !== before.positional) shell.positional = undefined;
  if (shell.functions !== before.functions) shell.functions = joinFunctions(shell.functions, before.functions);
}

/**
 * Prepares the state for a loop, whose next round may see what this one sets. For such names only "is a number" is
 * kept, and later assignments are checked against it.
 */
export function enterLoop(shell: ShellState, timesSet: ReadonlyMap<string, number>): void {
  if (timesSet.has("shift") || timesSet.has("set")) shell.positional = undefined;
  const variables = new Map(shell.variables);
  for (const [name, value] of shell.variables) {
    if ((timesSet.get(name) ?? 0) < 2) continue;
    const counts = value.number ? { counts: true as const } : {};
    variables.set(name, { ...doubt(value, value), ...counts });
  }
  shell.variables = variables;
}

/**
 * Counts how often each name occurs other than as `$name`: only there can it be set. Overcounts rather than
 * undercounts.
 */
export function countNames(source: string): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const [, reference, name, sets] of source.replaceAll("\\\n", "").matchAll(/(\$\{?)?([A-Za-z_]\w*)(:?=)?/g)) {
    if (name === undefined || (reference !== undefined && sets === undefined)) continue;
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
  return counted;
}

/** Returns the value as uncertain: the variable may still have its old value. */
export function doubt(value: Value, before: Value | undefined): Value {
  const { known: _, elements, ...rest } = value;
  const guesses = [...new Set([...value.guesses, ...(before?.guesses ?? [])])].slice(0, MAX_GUESSES);
  const guessedElements = elements ?? rest.guessedElements ?? before?.elements ?? before?.guessedElements;
  const number = value.number && before?.number === true;
  return { ...rest, number, guesses, ...(guessedElements === undefined ? {} : { guessedElements }) };
}

function joinFunctions(
  now: ReadonlyMap<string, DefinedFunction>,
  before: ReadonlyMap<string, DefinedFunction>,
): ReadonlyMap<string, DefinedFunction> {
  const joined = new Map(now);
  for (const name of new Set([...now.keys(), ...before.keys()])) {
    const [one, other] = [now.get(name), before.get(name)];
    if (one === other) continue;
    const definitions = [...new Set([...(one?.definitions ?? []), ...(other?.definitions ?? [])])].slice(
      0,
      MAX_GUESSES,
    );
    joined.set(name, { certain: false, definitions });
  }
  return joined;
}

/** The working directory at one point of the script. Copied when bash would fork. */
export interface Directory {
  path: string;
  /** False after a `cd` that may have failed or whose target isn't known; `path` is then the best guess. */
  certain: boolean;
  /** All possible directories, if they are known. */
  places?: readonly string[] | undefined;
  /** Target of each earlier `cd`: if a later one fails, the shell stays there. */
  passed?: readonly string[];
}

/** What a node inherits from the code around it. */
export interface Frame {
  /** The text that node offsets refer to. */
  readonly source: string;
  /** How often `source` may set each name; counted on first use. */
  readonly names: () => ReadonlyMap<string, number>;
  readonly directory: Directory;
  readonly shell: ShellState;
  /** Set inside text that isn't the proposal's own (`bash -c '…'`): every span is then that word's span. */
  readonly span: Span | undefined;
  readonly wrapper: number | undefined;
  readonly unwraps: number;
  readonly nesting: number;
  readonly inLoop: boolean;
  /** How often the enclosing loops repeat this text. */
  readonly copies: number;
  /** Names of the enclosing functions. */
  readonly functions: readonly string[];
  /** Runs once for each item that is found or read. */
  readonly sweeps: boolean;
  /** Inside a pipeline or a background job: a function that calls itself there is a fork bomb. */
  readonly forks: boolean;
}

/** What is known to the shell that expands a word. */
export interface Knowledge {
  readonly home: string;
  readonly cwd: string;
  readonly shell: ShellState;
  /** When searching for harm: index of the guess that each variable is assumed to have. */
  readonly suspect?: number;
  /** Largest number of guesses of any variable that was read. */
  tries: number;
  /** A variable that was read contains a download. */
  downloaded: boolean;
}
