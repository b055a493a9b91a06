import {
  type AndOr,
  type ParsedScript,
  type Pipeline,
  parse,
  type Statement,
  type SyntaxNode,
  type Word as WordNode,
} from "unbash";
import { DOWNLOADERS, SHELLS } from "../catalog/index.ts";
import { finishSuspicion, judgePipedData, noteUnpacked, noteWritten, startSuspicion } from "../data-flow/index.ts";
import {
  basename,
  type Effect,
  MAX_COMMANDS,
  MAX_NESTING,
  MAX_STEPS,
  makeEffect,
  shellEffect,
} from "../model/index.ts";
import { findLimit, findMisreading, findNested } from "../parse/index.ts";
import {
  countNames,
  type Draft,
  type DraftPart,
  doubtSince,
  type Followup,
  type Frame,
  fork,
  knowledgeOf,
  markOpaque,
  newShell,
  readWord,
  senderAt,
  snapshot,
  spanIn,
} from "../shell/index.ts";
import { judgeArithmetic } from "./arithmetic-command.ts";
import { doubtDirectory } from "./directory.ts";
import { callFunction, visitFunction, visitUncalled } from "./function.ts";
import { visitArithmeticFor, visitFor, visitWhile } from "./loop.ts";
import { judgeRedirect } from "./redirect.ts";
import { readsCodeFromStdin } from "./runners.ts";
import { visitCommand } from "./simple-command.ts";
import { maybe, once, type Step, type Walker } from "./step.ts";
import { judgeTestNode } from "./test-expression.ts";

/** Walks shell text and everything nested in it. Doesn't recurse, because the input decides the depth. */
export function walkScript(draft: Draft, source: string, frame: Frame): void {
  const uncalled: Step = () => {
    const definition = draft.definitions.find((one) => !one.called);
    return definition === undefined ? [] : [...visitUncalled(walkerOf(draft), definition), uncalled];
  };
  const pending: Step[] = [() => visitHidden(draft, frame), uncalled, () => visitSource(draft, source, frame)];
  let steps = 0;
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    steps += 1;
    if (steps > MAX_STEPS) {
      markOpaque(draft, { pos: 0, end: 0 }, "Is longer or more deeply nested than the parser reads");
      return;
    }
    const inside = step();
    // Commands over the limit aren't judged, so the rest of the walk would find nothing.
    if (draft.commands > MAX_COMMANDS) return;
    for (let index = inside.length - 1; index >= 0; index -= 1) pending.push(inside[index] as Step);
  }
}

function walkerOf(draft: Draft): Walker {
  return {
    draft,
    into: (node, frame) => later(draft, node, frame),
    nested: (nodes, frame) => visitNested(draft, nodes, frame),
    suspect: (node, frame) => () => {
      const scratch = startSuspicion(draft);
      return [() => visit(scratch, node, fork(frame)), () => finishSuspicion(draft, scratch)];
    },
  };
}

function visitSource(draft: Draft, source: string, frame: Frame): readonly Step[] {
  const end = findLimit(source);
  if (end < source.length)
    markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, "Has more openings than the parser reads");
  const inner = { ...frame, source, names: namesIn(source) };
  const script = parse(source.slice(0, end));
  const steps = visitScript(draft, script, inner);
  if (!source.includes("\n")) return steps;
  // Bash continues with the next line after a failed expansion.
  return steps.flatMap((step, index): Step[] => {
    const before = script.commands[index - 1]?.end ?? 0;
    const newLine = source.slice(before, script.commands[index]?.pos).includes("\n");
    return newLine ? [once(() => (inner.shell.fragile = false)), step] : [step];
  });
}

/** If something is evaluated, walks the texts that contain a substitution, and keeps the dangerous effects. */
function visitHidden(draft: Draft, frame: Frame): readonly Step[] {
  const { hidden, loose, parts } = draft;
  if (hidden.length === 0) return [];
  const evaluates = [...loose, ...parts.flatMap((part) => part.effects)].some(
    (effect) => effect.kind === "obfuscation",
  );
  if (!evaluates) return [];
  const scratch = startSuspicion(draft);
  const steps = hidden.map(
    ({ text, span }): Step =>
      () => {
        const end = "END_OF_TEXT";
        const source = `: <<${end}\n${text.replaceAll(end, "")}\n${end}\n`;
        return visitSource(scratch, source, { ...fork(frame), shell: newShell(), span });
      },
  );
  return [...steps, () => finishSuspicion(draft, scratch)];
}

function namesIn(source: string): Frame["names"] {
  let names: ReadonlyMap<string, number> | undefined;
  return () => {
    names ??= countNames(source);
    return names;
  };
}

function visitScript(draft: Draft, script: ParsedScript | undefined, frame: Frame): Step[] {
  if (script === undefined || (script.errors?.length ?? 0) > 0) {
    markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, "Can't be parsed as bash to its end");
  }
  const misread = script && findMisreading(script, frame.source, { nested: frame.nesting > 0 });
  if (misread !== undefined) markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, misread);
  return (script?.commands ?? []).map((statement) => () => visit(draft, statement, frame));
}

/** Returns steps for substitutions, which run in a forked shell before the command that contains them. */
function visitNested(draft: Draft, nodes: readonly SyntaxNode[], frame: Frame): Step[] {
  return findNested(nodes).map(({ script, span }) => () => {
    if (frame.nesting >= MAX_NESTING) {
      markOpaque(draft, spanIn(frame, span), "Nests more substitutions than the parser follows");
      return [];
    }
    // Offsets inside escaped backticks start at zero.
    const own =
      script?.source === undefined
        ? {}
        : { span: spanIn(frame, span), source: script.source, names: namesIn(script.source) };
    return visitScript(draft, script, { ...fork(frame), ...own, nesting: frame.nesting + 1 });
  });
}

/** Walks what a command runs: parses text, or walks a function's body with the call's words. */
function follow(followup: Followup, draft: Draft): readonly Step[] {
  if (followup.kind === "function") return callFunction(walkerOf(draft), followup);
  // `followCarried` handles these.
  if (followup.kind === "carried") return [];
  return visitSource(draft, followup.source, followup.frame);
}

function later(draft: Draft, node: SyntaxNode, frame: Frame): Step {
  return () => visit(draft, node, frame);
}

function visit(draft: Draft, node: SyntaxNode, frame: Frame): readonly Step[] {
  switch (node.type) {
    case "Statement":
      return visitStatement(draft, node, frame);
    case "AndOr":
      return visitAndOr(draft, node, frame);
    case "Pipeline":
      return visitPipeline(draft, node, frame);
    case "Command":
      return visitCommand(draft, node, { frame, nested: visitNested, follow });
    case "CompoundList":
      return node.commands.map((child) => later(draft, child, frame));
    case "BraceGroup":
      return [later(draft, node.body, frame)];
    case "Subshell":
      return [later(draft, node.body, fork(frame))];
    case "Redirected":
      for (const redirect of node.redirects) draft.loose.push(...judgeRedirect(draft, redirect, frame));
      return [...visitNested(draft, node.redirects, frame), later(draft, node.command, frame)];
    default:
      return visitCompound(walkerOf(draft), node, frame);
  }
}

/** Visits nodes that run conditionally, repeatedly, or bind names. An unknown kind makes the command opaque. */
function visitCompound(walker: Walker, node: SyntaxNode, frame: Frame): readonly Step[] {
  const { draft, nested } = walker;
  const into = (child: SyntaxNode): Step => walker.into(child, frame);
  const span = spanIn(frame, node);
  switch (node.type) {
    case "If": {
      const branches = [node.then, ...node.elif, ...(node.else ? [node.else] : [])];
      return [into(node.clause), ...branches.flatMap((branch) => maybe(frame, [into(branch)]))];
    }
    case "Elif":
      return [into(node.clause), into(node.then)];
    case "While":
      return visitWhile(walker, node, frame);
    case "For":
    case "Select":
      return visitFor(walker, node, frame);
    case "ArithmeticFor":
      return visitArithmeticFor(walker, node, frame);
    case "Case":
      draft.loose.push(...judgeWords(draft, [node.word, ...node.items.flatMap((item) => item.pattern)], frame));
      return [...nested([node.word], frame), ...node.items.flatMap((item) => maybe(frame, [into(item)]))];
    case "CaseItem":
      return [...nested(node.pattern, frame), into(node.body)];
    case "TestCommand":
      draft.loose.push(...judgeTestNode(draft, node, frame));
      return nested([node], frame);
    case "ArithmeticCommand":
      draft.loose.push(...judgeArithmetic(draft, frame, { text: node.body, span, node }));
      return nested([node], frame);
    case "Function":
      visitFunction(draft, node, frame);
      return [];
    case "Coproc":
      draft.loose.push(shellEffect("process-control", "Starts a coprocess", span));
      return [walker.into(node.body, { ...fork(frame), forks: true })];
    default:
      markOpaque(draft, span, `Uses ${node.type}, which isn't known`);
      return [];
  }
}

/** Visits a statement. A directory change in it may have failed, unless the next command runs only after success. */
function visitStatement(draft: Draft, node: Statement, frame: Frame): readonly Step[] {
  if (node.background) {
    draft.loose.push(shellEffect("process-control", "Leaves a command running in the background", spanIn(frame, node)));
    return [() => visit(draft, node.command, { ...fork(frame), forks: true })];
  }
  return [() => visit(draft, node.command, frame), once(doubtDirectory(frame))];
}

/** Visits `&&` and `||`. After `&&` everything before has succeeded; after the first `||` that isn't known. */
function visitAndOr(draft: Draft, node: AndOr, frame: Frame): readonly Step[] {
  const { shell } = frame;
  const [first, ...others] = node.commands.map(
    (child): Step =>
      () =>
        visit(draft, child, frame),
  );
  let before = snapshot(shell);
  let certain = true;
  const certainOrder = node.operators.every((operator) => operator === "&&");
  const doubtShell = once(() => doubtSince(shell, before));
  const doubts = certainOrder ? [] : [once(doubtDirectory(frame))];
  const steps = others.flatMap((step, index): Step[] => {
    certain &&= node.operators[index] === "&&";
    return certain ? [step, ...doubts] : [doubtShell, step, ...doubts];
  });
  const remember = once(() => {
    before = snapshot(shell);
  });
  return [...(first ? [first] : []), ...doubts, remember, ...steps, doubtShell];
}

function visitPipeline(draft: Draft, node: Pipeline, frame: Frame): readonly Step[] {
  const piped = node.commands.length > 1;
  if (node.commands.length === 0) markOpaque(draft, spanIn(frame, node), "Contains a pipeline without a command");
  const starts: number[] = [];
  const steps = node.commands.flatMap((child): Step[] => [
    once(() => starts.push(draft.parts.length)),
    () => visit(draft, child, piped ? { ...fork(frame), forks: true } : frame),
  ]);
  const finish = once(() => {
    if (piped) judgePipeline(draft, starts);
  });
  return [...steps, finish, once(doubtDirectory(frame))];
}

/**
 * Judges a pipeline whose output becomes code, as in `curl … | sh`. `starts` are the indexes of each stage's first
 * part.
 */
function judgePipeline(draft: Draft, starts: readonly number[]): void {
  const second = starts[1];
  if (second === undefined) return;
  judgePipedData(draft, starts);
  const downloads = draft.parts.slice(starts[0]).some((part) => DOWNLOADERS.includes(basename(part.words[0] ?? "")));
  if (downloads) {
    for (const part of draft.parts.slice(starts[0])) {
      noteWritten(draft, part.effects);
      noteUnpacked(draft, part);
    }
  }
  for (const part of draft.parts.slice(second)) {
    if (!readsCodeFromStdin(part.words) && !(downloads && takesCodeFromList(part, draft))) continue;
    const name = basename(part.words[0] ?? "");
    const sender = downloads ? senderAt(draft, part.span) : undefined;
    const what = downloads ? "a download" : "text";
    const sentence = `Matches dangerous pattern: ${sender ?? `pipes ${what} into ${name}, which runs it`}`;
    const ruleId = downloads ? "remote-code" : "pipe-to-interpreter";
    const kind = downloads ? "executes" : "obfuscation";
    part.effects.push(makeEffect(part.span, { kind, risk: "dangerous", layer: "dangerous-pattern", ruleId, sentence }));
  }
}

/** Reports whether `… | xargs sh -c` turns its input into code. */
function takesCodeFromList({ words, wrapper }: DraftPart, { parts }: Draft): boolean {
  const name = basename(words[0] ?? "");
  const listed = wrapper !== undefined && basename(parts[wrapper]?.words[0] ?? "") === "xargs";
  return (
    listed && SHELLS.includes(name) && words.length === 3 && /^-[a-z]*c$/.test(words[1] ?? "") && words[2] === null
  );
}

/** Judges the words of a `case`, which are compared, never run. */
function judgeWords(draft: Draft, words: readonly WordNode[], frame: Frame): Effect[] {
  const knowledge = knowledgeOf(draft, frame);
  const open = words.find((word) => readWord(word, word, knowledge).shape === "other");
  return open === undefined
    ? []
    : [shellEffect("obfuscation", `Uses ${open.text}, which can't be read with certainty`, spanIn(frame, open))];
}
