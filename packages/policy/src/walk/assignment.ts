import type { Assignment } from "unbash";
import { EXPORTED_NAMES, SHELL_NAMES } from "../catalog/index.ts";
import { type Effect, MAX_ASSIGNMENTS, makeEffect, type Span, WILD } from "../model/index.ts";
import {
  append,
  arrayValue,
  assign,
  type Draft,
  doubt,
  type Frame,
  judgeVariable,
  knowledgeOf,
  markOpaque,
  noteHidden,
  readAssigned,
  readFields,
  refusedInEnv,
  spanIn,
  type Value,
  wordValue,
} from "../shell/index.ts";

const shellNames = SHELL_NAMES.map((name) => new RegExp(name));

interface SetVariable {
  readonly name: string;
  readonly value: Value;
  readonly span: Span;
}

/** Sets a variable of the shell, and says what that means. */
export function setVariable(draft: Draft, frame: Frame, { name, value, span }: SetVariable): Effect[] {
  const { shell } = frame;
  draft.assignments += 1;
  if (draft.assignments > MAX_ASSIGNMENTS) {
    if (draft.assignments === MAX_ASSIGNMENTS + 1) markOpaque(draft, span, "Sets more variables than are followed");
    return [];
  }
  const before = shell.variables.get(name);
  const effects = judgeName(draft, { name, value, span }, before?.exported === true);
  if (before?.fixed) {
    shell.fragile = true;
    effects.push(unclearValue(`Sets ${name}, which can't be changed any more`, span));
  }
  if (before?.counts && !value.number && countsOn(frame.source, name))
    effects.push(unclearValue(`Sets ${name}, a number until now, to something else`, span));
  for (const guess of value.guesses) noteHidden(draft, guess, span);
  assign(shell, name, value);
  return effects;
}

interface Assigned {
  readonly node: Assignment;
  /** A substitution in it downloads something. */
  readonly fedByDownload: boolean;
  /** What the only command of its substitutions prints. */
  readonly printed?: string;
}

/** `name=value` without a command. Bash sets several from left to right, so each is judged after the one before. */
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

/** `name=$(…)`, with quotes or without. */
function isSubstitution({ value }: Assignment): boolean {
  const [only, second] = value.type === "Word" ? (value.parts ?? []) : [];
  const inner = only?.type === "DoubleQuoted" && only.parts.length === 1 ? only.parts[0] : only;
  return inner?.type === "CommandExpansion" && second === undefined;
}

/** What an assignment sets its variable to, and what can't be read with certainty about it. */
function readNode(
  draft: Draft,
  frame: Frame,
  node: Assignment,
): { readonly value: Value; readonly problem?: string; readonly downloaded: boolean } {
  const span = spanIn(frame, node);
  const knowledge = knowledgeOf(draft, frame);
  const { home } = draft.context;
  const problem = `Sets ${node.name} to something that can't be read with certainty`;
  const found = (value: Value, plain: boolean) => ({
    value,
    downloaded: knowledge.downloaded,
    ...(plain ? {} : { problem }),
  });
  if (node.value.type === "ArrayValue") {
    const words = node.value.elements.flatMap((word) => readFields(word, span, knowledge));
    // `[expression]=text` evaluates what is in the brackets.
    const plain = words.every((word) => word.shape !== "other" && !word.text.startsWith("["));
    return found(arrayValue(words, home), plain && node.index === undefined);
  }
  const word = readAssigned(node.value, span, knowledge);
  const plain = word.shape !== "other";
  if (node.index === undefined) return found(wordValue(word, home), plain);
  return found(doubt(wordValue(word, home), undefined), plain && /^\d+$/.test(node.index.text));
}

/** Whether the script may calculate with the variable, or use it without quotes. */
function countsOn(source: string, name: string): boolean {
  if (/\(\(|\[\[|\blet\b|\$\[|\$\{\w+(?:\[|:[^-+=?])/.test(source)) return true;
  return new RegExp(`(?:^|[^"])\\$\\{?${name}\\b|\\$\\{?${name}\\b\\}?[^"}\\w]`).test(source);
}

/**
 * What it means that the shell sets a variable of this name. One that bash gives a meaning, or that programs see because
 * it is exported, is judged as in an environment. The others stay in the shell.
 */
function judgeName({ context }: Draft, { name, value, span }: SetVariable, exported: boolean): Effect[] {
  // Bash takes it from no environment and gives it to none; what it divides then is no longer certain.
  if (name === "IFS" && !exported && value.known !== undefined) return [];
  const special = refusedInEnv(name) || shellNames.some((test) => test.test(name));
  if (exported || special || EXPORTED_NAMES.includes(name) || Object.hasOwn(context.env, name))
    return judgeVariable(name, value.known ?? value.mask ?? null, span);
  // Programs take theirs in capitals; and a shell that the agent keeps may evaluate what a variable of it is set to. Only
  // where we made the environment and the shell is it sure that neither is so.
  if (/[a-z]/.test(name) && /^[\w./:@%+, -]*$/.test(value.known ?? WILD)) return [];
  const sentence = `Sets the variable ${name} of the shell`;
  const about = { kind: "environment", risk: "safe", ruleId: "shell.variable", reliesOnJail: true } as const;
  return [makeEffect(span, { ...about, sentence, target: name })];
}

export function unclearValue(sentence: string, span: Span): Effect {
  return makeEffect(span, { kind: "obfuscation", ruleId: "variable.unclear", sentence });
}
