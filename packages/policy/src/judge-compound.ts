import type { For, Select, TestCommand, Word } from "unbash";
import { type Draft, type Frame, spanIn } from "./draft.ts";
import type { Effect, EffectKind, Span } from "./effect.ts";
import { judgeVariable, refusedInEnv } from "./judge-environment.ts";
import { judgeRead } from "./judge-path.ts";
import { judgeTestCommand } from "./judge-test.ts";
import { makeEffect } from "./make-effect.ts";
import { readWord } from "./read-word.ts";

/** Words of a `case`: they are compared, never run. */
export function judgeWords(draft: Draft, words: readonly Word[], frame: Frame): Effect[] {
  const places = { home: draft.context.home, cwd: frame.directory.path };
  const open = words.find((word) => readWord(word, word, places).shape === "other");
  return open === undefined
    ? []
    : [notSafe("obfuscation", `Uses ${open.text}, which can't be read with certainty`, spanIn(frame, open))];
}

/** What a loop goes through is what its body will read, if it reads its variable. */
export function judgeLoop(draft: Draft, node: For | Select, frame: Frame): Effect[] {
  const span = spanIn(frame, node);
  const places = { home: draft.context.home, cwd: frame.directory.path };
  const site = { context: draft.context, directory: frame.directory, span, own: false, layer: "shell-syntax" } as const;
  const words = (node.wordlist ?? []).map((word) => readWord(word, span, places));
  const read = words.flatMap((word) => judgeRead(word, { namesOnly: false, recursive: false }, site));
  const name = node.name.value;
  const harmless = /^[a-z_][a-z0-9_]*$/.test(name) && !refusedInEnv(name);
  return harmless ? read : [...judgeVariable(name, null, span), ...read];
}

export function notSafe(kind: EffectKind, sentence: string, span: Span): Effect {
  return makeEffect(span, { kind, ruleId: `shell.${kind}`, sentence });
}

/** `[[ … ]]` at its place in the script. */
export function judgeTestNode(draft: Draft, node: TestCommand, frame: Frame): Effect[] {
  const span = spanIn(frame, node);
  const places = { home: draft.context.home, cwd: frame.directory.path };
  const site = { context: draft.context, directory: frame.directory, span, own: false, layer: "shell-syntax" } as const;
  return judgeTestCommand(node, (word) => readWord(word, span, places), site);
}
