import type { SyntaxNode } from "unbash";
import { setVariable } from "../expressions/judge-assignment.ts";
import type { Effect, Span } from "../model/effect.ts";
import { type Draft, type Frame, knowledgeOf } from "../shell/draft.ts";
import { readArithmetic } from "../shell/read-arithmetic.ts";
import { doubt, UNKNOWN, type Value } from "../shell/shell-state.ts";
import { withoutNumbers } from "../shell/tells-number.ts";
import { notSafe } from "./judge-compound.ts";

interface ArithmeticText {
  readonly text: string;
  readonly span: Span;
  /** What the text was parsed to. */
  readonly node?: SyntaxNode;
}

const NUMBER: Value = { number: true, guesses: [] };

/** An arithmetic command: harmless where every name in it surely holds a number, since values are evaluated again. */
export function judgeArithmetic(draft: Draft, frame: Frame, { text, span, node }: ArithmeticText): Effect[] {
  const plain = withoutNumbers(text, node, frame.shell);
  const { safe, sets, sure } = readArithmetic(plain, knowledgeOf(draft, frame));
  const effects = safe ? [] : [notSafe("obfuscation", "Evaluates arithmetic, which may run commands", span)];
  for (const name of sets) {
    const before = frame.shell.variables.get(name) ?? UNKNOWN;
    effects.push(...setVariable(draft, frame, { name, value: sure ? NUMBER : doubt(NUMBER, before), span }));
  }
  return effects;
}
