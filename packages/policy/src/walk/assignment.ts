import type { Assignment } from "unbash";
import { EXPORTED_NAMES, SHELL_NAMES } from "../catalog/index.ts";
import { type Effect, MAX_ASSIGNMENTS, makeEffect, type Span, WILD, type Word } from "../model/index.ts";
import {
  append,
  arrayValue,
  assign,
  type Draft,
  doubt,
  type Frame,
  judgeVariable,
  knowledgeOf,
  knownValue,
  markOpaque,
  noteHidden,
  readAssigned,
  readFields,
  refusedInEnv,
  spanIn,
  splitOptions,
  UNKNOWN,
  type Value,
  wordValue,
} from "../shell/index.ts";
import type { Invocation } from "./invocation.ts";

const shellNames = SHELL_NAMES.map((name) => new RegExp(name));

interface SetVariable {
  readonly name: string;
  readonly value: Value;
  readonly span: Span;
}

/** Sets a variable of the shell, and returns the effects of that. */
export function setVariable(draft: Draft, frame: Frame, { name, value, span }: SetVariable): Effect[] {
  const { shell } = frame;
  draft.assignments += 1;
  if (draft.assignments > MAX_ASSIGNMENTS) {
    if (draft.assignments === MAX_ASSIGNMENTS + 1)
      markOpaque(draft, span, "Sets more variables than the parser follows");
    return [];
  }
  const before = shell.variables.get(name);
  const effects = judgeName(draft, { name, value, span }, before?.exported === true);
  if (before?.fixed) {
    shell.fragile = true;
    effects.push(unclearValue(`Sets ${name}, which is read-only`, span));
  }
  if (before?.counts && !value.number && countsOn(frame.source, name))
    effects.push(unclearValue(`Sets ${name}, which was a number, to something else`, span));
  for (const guess of value.guesses) noteHidden(draft, guess, span);
  assign(shell, name, value);
  return effects;
}

interface Assigned {
  readonly node: Assignment;
  /** A substitution in the value downloads something. */
  readonly fedByDownload: boolean;
  /** Output of the value's only substitution, if it is known. */
  readonly printed?: string;
}

/**
 * Judges `name=value` without a command. Bash assigns from left to right, so each assignment sees the one before it.
 */
export function judgeAssignment(draft: Draft, frame: Frame, { node, fedByDownload, printed }: Assigned): Effect[] {
  const span = spanIn(frame, node);
  const { name } = node;
  const before = frame.shell.variables.get(name);
  const { value: read, problem, downloaded } = readNode(draft, frame, node);
  const guess = printed !== undefined && isSubstitution(node) ? [printed.trim()] : [];
  const heard = read.guesses.length === 0 && guess.length > 0 ? { ...read, guesses: guess } : read;
  const sum = node.append ? append(before, heard) : heard;
  const value = fedByDownload || downloaded ? { ...sum, downloaded: true as const } : sum;
  const effects = setVariable(draft, frame, { name, value, span });
  return problem === undefined ? effects : [...effects, unclearValue(problem, span)];
}

/** Reports whether the value is one substitution, quoted or not. */
function isSubstitution({ value }: Assignment): boolean {
  const [only, second] = value.type === "Word" ? (value.parts ?? []) : [];
  const inner = only?.type === "DoubleQuoted" && only.parts.length === 1 ? only.parts[0] : only;
  return inner?.type === "CommandExpansion" && second === undefined;
}

/** Returns the assigned value, and the problem if it can't be read with certainty. */
function readNode(
  draft: Draft,
  frame: Frame,
  node: Assignment,
): { readonly value: Value; readonly problem?: string; readonly downloaded: boolean } {
  const span = spanIn(frame, node);
  const knowledge = knowledgeOf(draft, frame);
  const { home } = draft.machine;
  const problem = `Sets ${node.name} to something that can't be read with certainty`;
  const found = (value: Value, plain: boolean) => ({
    value,
    downloaded: knowledge.downloaded,
    ...(plain ? {} : { problem }),
  });
  if (node.value.type === "ArrayValue") {
    const words = node.value.elements.flatMap((word) => readFields(word, span, knowledge));
    // Bash evaluates the subscript of `[expression]=text`.
    const plain = words.every((word) => word.shape !== "other" && !word.text.startsWith("["));
    return found(arrayValue(words, home), plain && node.index === undefined);
  }
  const word = readAssigned(node.value, span, knowledge);
  const plain = word.shape !== "other";
  if (node.index === undefined) return found(wordValue(word, home), plain);
  return found(doubt(wordValue(word, home), undefined), plain && /^\d+$/.test(node.index.text));
}

/** Reports whether the script may use the variable in arithmetic or without quotes. */
function countsOn(source: string, name: string): boolean {
  if (/\(\(|\[\[|\blet\b|\$\[|\$\{\w+(?:\[|:[^-+=?])/.test(source)) return true;
  return new RegExp(`(?:^|[^"])\\$\\{?${name}\\b|\\$\\{?${name}\\b\\}?[^"}\\w]`).test(source);
}

/**
 * Returns the effects of a variable's name. A variable with a meaning to bash, or exported to programs, is judged as
 * part of the environment. Others affect only this shell.
 */
function judgeName({ machine }: Draft, { name, value, span }: SetVariable, exported: boolean): Effect[] {
  // Bash neither imports nor exports IFS; from here on, field splitting isn't certain.
  if (name === "IFS" && !exported && value.known !== undefined) return [];
  const special = refusedInEnv(name) || shellNames.some((test) => test.test(name));
  if (exported || special || EXPORTED_NAMES.includes(name) || Object.hasOwn(machine.env, name))
    return judgeVariable(name, value.known ?? value.mask ?? null, span);
  // Programs read variables in capitals, and a shell that the agent keeps may evaluate an assigned value. Both are
  // excluded only if we made the environment and the shell.
  if (/[a-z]/.test(name) && /^[\w./:@%+, -]*$/.test(value.known ?? WILD)) return [];
  const sentence = `Sets the variable ${name} of the shell`;
  const about = { kind: "environment", risk: "safe", ruleId: "shell.variable", reliesOnJail: true } as const;
  return [makeEffect(span, { ...about, sentence, target: name })];
}

export function unclearValue(sentence: string, span: Span): Effect {
  return makeEffect(span, { kind: "obfuscation", ruleId: "variable.unclear", sentence });
}

/**
 * Judges `declare`, `local`, `readonly` and `export` with plain names. Most attributes change how later assignments are
 * read (integers are evaluated, references set another variable), so only the others are known.
 */
export function judgeDeclaration(invocation: Invocation): Effect[] {
  const { words, operands, frame, call } = invocation;
  const kind = words[0]?.literal ?? "";
  const flags = kind === "export" || kind === "readonly" ? "" : "aAgrx";
  const split = splitOptions(operands, { flags, valued: "" });
  const unclear = (sentence: string) => unclearValue(sentence, call.span);
  const effects: Effect[] = [];
  const inFunction = frame.functions.length > 0;
  if (split === undefined) effects.push(unclear(`Uses options of ${kind} that aren't in the catalogue`));
  // Outside a function it fails, and the variable keeps its value.
  if (kind === "local" && !inFunction) effects.push(unclear("Uses local outside of a function"));
  if (split?.operands.length === 0) effects.push(showsVariables(kind, invocation));
  const given = split?.operands ?? operands.filter((word) => !word.mask.startsWith("-"));
  const exports = kind === "export" || split?.options.includes("x") === true;
  const fixes = kind === "readonly" || split?.options.includes("r") === true;
  for (const word of given) effects.push(...declare(invocation, word, { exports, fixes, inFunction }));
  return effects;
}

interface Attributes {
  readonly exports: boolean;
  readonly fixes: boolean;
  readonly inFunction: boolean;
}

function declare(invocation: Invocation, word: Word, { exports, fixes, inFunction }: Attributes): Effect[] {
  const { draft, frame, call } = invocation;
  const { shell } = frame;
  const { span } = call;
  const [whole, name, sign] = /^([A-Za-z_]\w*)(\+?=)?/.exec(word.mask) ?? [];
  const plain = whole !== undefined && word.text.startsWith(whole) && (sign !== undefined || word.mask === whole);
  if (name === undefined || !plain || word.indirect || word.shape === "other")
    return [unclearValue(`Declares ${word.text}, which isn't a plain name`, span)];
  const before = shell.variables.get(name);
  const keeps = sign === undefined && !(inFunction && !exports && !fixes);
  const value = sign === undefined ? (keeps ? (before ?? UNKNOWN) : UNKNOWN) : given(word, whole);
  const effects = exports
    ? judgeVariable(name, value.known ?? value.mask ?? null, span)
    : keeps
      ? []
      : setVariable(draft, frame, { name, value: sign === "+=" ? append(before, value) : value, span });
  if (exports && !keeps) setVariable(draft, frame, { name, value, span });
  const now = shell.variables.get(name) ?? UNKNOWN;
  const flags = { ...(exports ? { exported: true as const } : {}), ...(fixes ? { fixed: true as const } : {}) };
  if (exports || fixes) shell.variables = new Map(shell.variables).set(name, { ...now, ...flags });
  return effects;
}

/** Returns the value after the `=`. */
function given(word: Word, head: string): Value {
  if (word.literal !== null) return knownValue(word.literal.slice(head.length));
  const guess = word.guess.slice(head.length);
  const mask = word.mask.slice(head.length);
  return { number: word.number, guesses: guess.includes(WILD) ? [] : [guess], mask };
}

function showsVariables(kind: string, { call }: Invocation): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return { ...about, span: call.span, ruleId: "env.show", sentence: `Shows the variables with ${kind}` };
}
