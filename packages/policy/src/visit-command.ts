import type { Assignment, Command, SyntaxNode, Word } from "unbash";
import { type Call, type Draft, type Followup, type Frame, markOpaque, spanIn } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { judgeCommand } from "./judge-command.ts";
import { judgeVariable } from "./judge-environment.ts";
import { judgeRedirect, readStdin } from "./judge-redirect.ts";
import { MAX_WORDS } from "./limits.ts";
import { makeEffect } from "./make-effect.ts";
import { literalWord, readWord, type WordReading } from "./read-word.ts";
import { basename } from "./resolve-path.ts";
import { DOWNLOADERS } from "./tables/programs.ts";

/** One step of the walk. Steps run in source order; a step puts the steps inside it before those that follow. */
export type Step = () => readonly Step[];

/** What a command needs of the walker around it. */
export interface Surrounding {
  readonly frame: Frame;
  readonly nested: (nodes: readonly SyntaxNode[]) => readonly Step[];
  readonly source: (followup: Followup) => readonly Step[];
}

/** A simple command: first the substitutions in its words, as bash does, then itself, then shell text it was given. */
export function visitCommand(draft: Draft, node: Command, around: Surrounding): readonly Step[] {
  const before = draft.parts.length;
  const nodes: SyntaxNode[] = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
  const judge: Step = () => {
    const fedByDownload = draft.parts.slice(before).some((part) => DOWNLOADERS.includes(basename(part.words[0] ?? "")));
    return judgeInPlace(draft, node, { around, fedByDownload });
  };
  return [...around.nested(nodes), judge];
}

function judgeInPlace(
  draft: Draft,
  node: Command,
  { around, fedByDownload }: { around: Surrounding; fedByDownload: boolean },
): Step[] {
  const { frame } = around;
  const span = spanIn(frame, node);
  if (skipsText(node, frame.source)) markOpaque(draft, span, "Holds text that isn't part of any command");
  const foreign = judgeForeign(draft, node, frame);
  if (node.name === undefined) {
    draft.loose.push(...foreign);
    return [];
  }
  if (node.args.length >= MAX_WORDS) markOpaque(draft, span, "Has more words than are read");
  const places = { home: draft.context.home, cwd: frame.directory.path };
  const words = [node.name, ...node.args.slice(0, MAX_WORDS)].map((arg) =>
    arg.type === "Word" ? readWord(arg, spanIn(frame, arg), places) : readAssignment(arg, { frame, places }),
  );
  const unclear = words.find((word) => word.shape === "other");
  if (unclear !== undefined) foreign.push(uncertain(unclear));
  const stdin = node.redirects
    .map((redirect) => readStdin(redirect, frame, draft.context))
    .find((text) => text !== undefined);
  const call: Call = { span, words, foreign, fedByDownload, ...(stdin === undefined ? {} : { stdin }) };
  return judgeCommand(draft, frame, call).map(
    (followup): Step =>
      () =>
        around.source(followup),
  );
}

/** Operators, subscripts, braces: what they make may be code, and evaluating them may change variables. */
function uncertain({ text, span }: WordReading): Effect {
  const sentence = `Uses ${text}, which can't be read with certainty`;
  return makeEffect(span, { kind: "obfuscation", ruleId: "word.uncertain", sentence });
}

/** Redirects and assignments around the command. */
function judgeForeign(draft: Draft, node: Command, frame: Frame): Effect[] {
  const effects = node.redirects.flatMap((redirect) => judgeRedirect(redirect, frame, draft.context));
  const places = { home: draft.context.home, cwd: frame.directory.path };
  for (const one of [...node.prefix, ...node.suffix]) {
    if (one.type !== "Assignment") continue;
    const span = spanIn(frame, one);
    const plain = one.value.type === "Word" && one.index === undefined && !one.append;
    const value = plain ? readWord(one.value as Word, span, places).literal : null;
    effects.push(...judgeVariable(one.name, value, span));
  }
  return [...effects, ...judgeEmptying(node, effects)];
}

/**
 * The parser must have taken every character: it is known to drop a parenthesis (`ls (a`), and what it drops we would not
 * judge. Between words only blanks may stand, and after the last one only what ends a command.
 */
function skipsText(node: Command, source: string): boolean {
  const nodes = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].sort((a, b) => a.pos - b.pos);
  let end = nodes[0]?.pos ?? node.pos;
  for (const one of nodes) {
    if (!/^(?:[ \t]|\\\n)*$/.test(source.slice(end, one.pos))) return true;
    end = one.end;
  }
  return !/^(?:[ \t]|\\\n)*(?:$|[\n;&|)`#])/.test(source.slice(end, end + 4_096));
}

/** `> file` with no command, or one that prints nothing, empties the file. */
function judgeEmptying(node: Command, foreign: readonly Effect[]): Effect[] {
  const empties = node.redirects.some(
    (one) => one.type === "Redirect" && (one.operator === ">" || one.operator === ">|"),
  );
  const silent = node.name === undefined || [":", "true"].includes(node.name.value);
  if (!empties || !silent) return [];
  return foreign
    .filter((effect) => effect.kind === "writes")
    .map((effect) => ({
      ...effect,
      kind: "deletes",
      risk: "dangerous",
      ruleId: "redirect.empties",
      sentence: "Empties a file with a redirect",
    }));
}

function readAssignment(
  node: Assignment,
  { frame, places }: { frame: Frame; places: { home: string; cwd: string } },
): WordReading {
  const span = spanIn(frame, node);
  const value = node.value.type === "Word" ? readWord(node.value, span, places) : undefined;
  const text = literalWord(node.text, span);
  return value?.literal === null || value === undefined || node.index !== undefined
    ? { ...text, literal: null, shape: "other" }
    : text;
}
