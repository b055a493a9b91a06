import type { Function as FunctionNode } from "unbash";
import { MAX_BRACE_WORDS, MAX_GUESSES, MAX_VALUE_LENGTH, type Span, textOf, type Word } from "../model/index.ts";

/** What is known of a variable. One that was never set may hold anything: the environment isn't ours to know. */
export interface Value {
  /** Surely this text. */
  readonly known?: string;
  /** Surely a decimal number: arithmetic that names it runs no code. */
  readonly number: boolean;
  /** Where it comes from a program, it may be nothing at all. */
  readonly hollow?: true;
  /** What it may hold, latest first: good enough to find harm, never to prove safety. */
  readonly guesses: readonly string[];
  /** Where only parts of it are known: the text with each unknown stretch as `WILD`. */
  readonly mask?: string;
  /** Surely an array of these. */
  readonly elements?: readonly string[];
  /** Perhaps an array of these. */
  readonly guessedElements?: readonly string[];
  /** Set by `readonly`: what is assigned later fails, and ends the line. */
  readonly fixed?: true;
  readonly exported?: true;
  readonly downloaded?: true;
  /** A loop relies on its being a number in every round. */
  readonly counts?: true;
}

/** A function's body, with the frame that its nodes' offsets belong to. */
export interface Definition {
  readonly node: FunctionNode;
  readonly frame: Frame;
  called: boolean;
}

export interface DefinedFunction {
  /** False when it may be undefined, or defined otherwise. */
  readonly certain: boolean;
  readonly definitions: readonly Definition[];
}

/** `$1` and further. */
export interface Positional {
  readonly words: readonly Word[];
  /** Others may follow, or none of these: a word before wasn't surely one. */
  readonly open: boolean;
}

/** What one bash process holds at one point. The maps are replaced, never changed: a copy is as good as a fork. */
export interface ShellState {
  variables: ReadonlyMap<string, Value>;
  functions: ReadonlyMap<string, DefinedFunction>;
  /** Undefined where nothing is known of them. */
  positional: Positional | undefined;
  /**
   * An expansion before may have failed. Bash then leaves out the rest of the line and goes on with the next: whatever is
   * set from here to the end of the line may not be.
   */
  fragile: boolean;
  /** Not read by the bash that we know: nothing it holds is certain. */
  readonly foreign: boolean;
}

export type Snapshot = Readonly<Pick<ShellState, "variables" | "functions" | "positional">>;

export const UNKNOWN: Value = { number: false, guesses: [] };

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

export function newShell(foreign = false): ShellState {
  return { variables: NOTHING, functions: NOTHING, positional: undefined, fragile: false, foreign };
}

/** A process of its own that inherits what is exported: nothing here is certain, all of it may be. */
export function startShell(parent: ShellState, foreign: boolean): ShellState {
  const variables = new Map([...parent.variables].map(([name, value]) => [name, doubt(value, undefined)]));
  return { ...newShell(foreign), variables };
}

/** The frame of a process that bash forks: it begins with all that its parent holds, and changes nothing of it. */
export function fork(frame: Frame): Frame {
  return { ...frame, directory: { ...frame.directory }, shell: { ...frame.shell } };
}

export function knownValue(text: string): Value {
  if (text.length > MAX_VALUE_LENGTH) return UNKNOWN;
  // No leading zero: bash would read it as octal, and 08 is an error.
  return { known: text, number: /^(-?[1-9]\d{0,17}|0)$/.test(text), guesses: [text] };
}

/** What a variable holds that is set to this word. */
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

/** `name+=text`. Arrays aren't followed: the text goes to their first element, or is a list itself. */
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

/** The words of a call up to the first that may stand for more words than one, or for none. */
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

/** What was set since `before` may not have been: the code in between may not have run. */
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

/** What a loop sets, its next round may find set: of such names only their being numbers is kept, and held to. */
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

/** How often each name stands in the text other than as `$name`: only there can it be set. Rather too often than too seldom. */
export function countNames(source: string): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const [, reference, name, sets] of source.replaceAll("\\\n", "").matchAll(/(\$\{?)?([A-Za-z_]\w*)(:?=)?/g)) {
    if (name === undefined || (reference !== undefined && sets === undefined)) continue;
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
  return counted;
}

/** Without its certainty: it may also still hold what it held before. */
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

/** Where relative paths lead at one point of the script. A copy is made wherever bash would fork. */
export interface Directory {
  path: string;
  /** False after a `cd` that may have failed or that leads somewhere unknown; `path` is then the best guess. */
  certain: boolean;
  /** Where it may be, when it must be one of these. */
  places?: readonly string[] | undefined;
  /** Each place that a `cd` led to: one that fails in between leaves it there. */
  passed?: readonly string[];
}

/** Everything a node inherits from what surrounds it. */
export interface Frame {
  /** The text that the nodes' offsets count in. */
  readonly source: string;
  /** How often each name stands in `source` where it may be set; counted when it is first asked for. */
  readonly names: () => ReadonlyMap<string, number>;
  readonly directory: Directory;
  readonly shell: ShellState;
  /** Set inside text that isn't the proposal's own (`bash -c '…'`): every span there is that word's span. */
  readonly span: Span | undefined;
  readonly wrapper: number | undefined;
  readonly unwraps: number;
  readonly nesting: number;
  readonly inLoop: boolean;
  /** How often the loops around walk this text. */
  readonly copies: number;
  /** Names of the functions whose bodies we are in. */
  readonly functions: readonly string[];
  /** Run for whatever is found or read, one after the other. */
  readonly sweeps: boolean;
  /** Inside a pipeline or a background job, where a call of itself doubles. */
  readonly forks: boolean;
}

/** What the shell that reads a word knows. */
export interface Knowledge {
  readonly home: string;
  readonly cwd: string;
  readonly shell: ShellState;
  /** Looking for harm: which of its guesses a variable is taken to hold. */
  readonly suspect?: number;
  /** The most guesses that a variable had which was read. */
  tries: number;
  /** A variable that was read holds a download. */
  downloaded: boolean;
}
