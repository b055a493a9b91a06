import type { SyntaxNode } from "unbash";
import { type Effect, type Span, shellEffect } from "../model/index.ts";
import {
  type Draft,
  doubt,
  type Frame,
  knowledgeOf,
  readArithmetic,
  UNKNOWN,
  type Value,
  withoutNumbers,
} from "../shell/index.ts";
import { setVariable } from "./assignment.ts";

interface ArithmeticText {
  readonly text: string;
  readonly span: Span;
  /** The parsed text. */
  readonly node?: SyntaxNode;
}

const NUMBER: Value = { number: true, guesses: [] };

/**
 * Judges an arithmetic command. It is harmless only if every name in it certainly has a number, because bash evaluates
 * values again.
 */
export function judgeArithmetic(draft: Draft, frame: Frame, { text, span, node }: ArithmeticText): Effect[] {
  const plain = withoutNumbers(text, node, frame.shell);
  const { safe, sets, sure } = readArithmetic(plain, knowledgeOf(draft, frame));
  const effects = safe ? [] : [shellEffect("obfuscation", "Evaluates arithmetic, which may run commands", span)];
  for (const name of sets) {
    const before = frame.shell.variables.get(name) ?? UNKNOWN;
    effects.push(...setVariable(draft, frame, { name, value: sure ? NUMBER : doubt(NUMBER, before), span }));
  }
  return effects;
}
