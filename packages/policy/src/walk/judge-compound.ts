import type { TestCommand, Word } from "unbash";
import { judgeTestCommand } from "../expressions/index.ts";
import { type Effect, type EffectKind, makeEffect, type Span } from "../model/index.ts";
import { type Draft, type Frame, knowledgeOf, noteHidden, readWord, spanIn } from "../shell/index.ts";

/** Words of a `case`: they are compared, never run. */
export function judgeWords(draft: Draft, words: readonly Word[], frame: Frame): Effect[] {
  const knowledge = knowledgeOf(draft, frame);
  const open = words.find((word) => readWord(word, word, knowledge).shape === "other");
  return open === undefined
    ? []
    : [notSafe("obfuscation", `Uses ${open.text}, which can't be read with certainty`, spanIn(frame, open))];
}

export function notSafe(kind: EffectKind, sentence: string, span: Span): Effect {
  return makeEffect(span, { kind, ruleId: `shell.${kind}`, sentence });
}

/** `[[ … ]]` at its place in the script. */
export function judgeTestNode(draft: Draft, node: TestCommand, frame: Frame): Effect[] {
  const span = spanIn(frame, node);
  const knowledge = knowledgeOf(draft, frame);
  const site = { context: draft.context, directory: frame.directory, span, own: false, layer: "shell-syntax" } as const;
  noteHidden(draft, frame.source.slice(node.pos, node.end), span);
  return judgeTestCommand(node, { read: (word) => readWord(word, span, knowledge), knowledge }, site);
}
