import { type AndOr, type ParsedScript, type Pipeline, parse, type Statement, type SyntaxNode } from "unbash";
import { type Draft, type Frame, markOpaque, spanIn } from "./draft.ts";
import { findMisreading } from "./find-misreading.ts";
import { findNested } from "./find-nested.ts";
import { judgeLoop, judgeTestNode, judgeWords, notSafe } from "./judge-compound.ts";
import { judgePipeline } from "./judge-pipeline.ts";
import { judgeRedirect } from "./judge-redirect.ts";
import { MAX_NESTING, MAX_OPENINGS, MAX_STEPS } from "./limits.ts";
import { type Step, visitCommand } from "./visit-command.ts";

/** Walks shell text and everything nested in it, without recursion: depth is the input's to choose. */
export function walkScript(draft: Draft, source: string, frame: Frame): void {
  const pending: Step[] = [() => visitSource(draft, source, frame)];
  let steps = 0;
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    steps += 1;
    if (steps > MAX_STEPS) {
      markOpaque(draft, { pos: 0, end: 0 }, "Is longer or deeper than is read");
      return;
    }
    const inside = step();
    for (let index = inside.length - 1; index >= 0; index -= 1) pending.push(inside[index] as Step);
  }
}

function visitSource(draft: Draft, source: string, frame: Frame): readonly Step[] {
  const end = findLimit(source);
  if (end < source.length) markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, "Holds more openings than are read");
  return visitScript(draft, parse(source.slice(0, end)), { ...frame, source });
}

/** Where the text passes the number of openings that the parser is quick with. */
function findLimit(source: string): number {
  let count = 0;
  for (const { index } of source.matchAll(/\{|\(\(/g)) {
    count += 1;
    if (count > MAX_OPENINGS) return index;
  }
  return source.length;
}

function visitScript(draft: Draft, script: ParsedScript | undefined, frame: Frame): readonly Step[] {
  if (script === undefined || (script.errors?.length ?? 0) > 0) {
    markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, "Can't be read as bash to its end");
  }
  const misread = script && findMisreading(script, frame.source, { nested: frame.nesting > 0 });
  if (misread !== undefined) markOpaque(draft, frame.span ?? { pos: 0, end: 0 }, misread);
  return (script?.commands ?? []).map((statement) => () => visit(draft, statement, frame));
}

/** Substitutions of any words: they run in a copy of the shell, before the command they are part of. */
function visitNested(draft: Draft, nodes: readonly SyntaxNode[], frame: Frame): Step[] {
  return findNested(nodes).map(({ script, span }) => () => {
    if (frame.nesting >= MAX_NESTING) {
      markOpaque(draft, spanIn(frame, span), "Nests more substitutions than are read");
      return [];
    }
    // The inside of escaped backticks has offsets of its own.
    const own = script?.source === undefined ? {} : { span: spanIn(frame, span), source: script.source };
    return visitScript(draft, script, {
      ...frame,
      ...own,
      directory: { ...frame.directory },
      nesting: frame.nesting + 1,
    });
  });
}

function visit(draft: Draft, node: SyntaxNode, frame: Frame): readonly Step[] {
  const into =
    (child: SyntaxNode, inner: Frame = frame): Step =>
    () =>
      visit(draft, child, inner);
  switch (node.type) {
    case "Statement":
      return visitStatement(draft, node, frame);
    case "AndOr":
      return visitAndOr(draft, node, frame);
    case "Pipeline":
      return visitPipeline(draft, node, frame);
    case "Command":
      return visitCommand(draft, node, {
        frame,
        nested: (nodes) => visitNested(draft, nodes, frame),
        source: ({ source, frame: inner }) => visitSource(draft, source, inner),
      });
    case "CompoundList":
      return node.commands.map((child) => into(child));
    case "BraceGroup":
      return [into(node.body)];
    case "Subshell":
      return [into(node.body, { ...frame, directory: { ...frame.directory } })];
    case "If":
      return [node.clause, node.then, ...node.elif, ...(node.else ? [node.else] : [])].map((child) => into(child));
    case "Elif":
      return [into(node.clause), into(node.then)];
    case "While":
      return [into(node.clause, { ...frame, inLoop: true }), into(node.body, { ...frame, inLoop: true })];
    case "Redirected":
      for (const redirect of node.redirects) draft.loose.push(...judgeRedirect(redirect, frame, draft.context));
      return [...visitNested(draft, node.redirects, frame), into(node.command)];
    default:
      return visitRare(draft, node, frame);
  }
}

/** Nodes that bind names or evaluate: each is judged, then walked; a kind that isn't known makes the command opaque. */
function visitRare(draft: Draft, node: SyntaxNode, frame: Frame): readonly Step[] {
  const into =
    (child: SyntaxNode, inner: Frame = frame): Step =>
    () =>
      visit(draft, child, inner);
  const span = spanIn(frame, node);
  const loop = { ...frame, inLoop: true };
  switch (node.type) {
    case "For":
    case "Select":
      draft.loose.push(...judgeLoop(draft, node, frame));
      if (node.type === "Select") draft.loose.push(notSafe("process-control", "Asks with select", span));
      return [...visitNested(draft, node.wordlist ?? [], frame), into(node.body, loop)];
    case "Case":
      draft.loose.push(...judgeWords(draft, [node.word, ...node.items.flatMap((item) => item.pattern)], frame));
      return [...visitNested(draft, [node.word], frame), ...node.items.map((item) => into(item))];
    case "CaseItem":
      return [...visitNested(draft, node.pattern, frame), into(node.body)];
    case "TestCommand":
      draft.loose.push(...judgeTestNode(draft, node, frame));
      return visitNested(draft, [node], frame);
    case "ArithmeticCommand":
      draft.loose.push(notSafe("obfuscation", "Evaluates arithmetic, which may run commands", span));
      return visitNested(draft, [node], frame);
    case "ArithmeticFor":
      draft.loose.push(notSafe("obfuscation", "Evaluates arithmetic, which may run commands", span));
      return [
        ...visitNested(
          draft,
          [node.initialize, node.test, node.update].filter((one) => one !== undefined),
          frame,
        ),
        into(node.body, loop),
      ];
    case "Function":
      draft.loose.push(
        notSafe("obfuscation", `Defines the function ${node.name.value}, which may stand for a program`, span),
      );
      return [into(node.body, { ...loop, functions: [...frame.functions, node.name.value] })];
    case "Coproc":
      draft.loose.push(notSafe("process-control", "Starts a coprocess", span));
      return [into(node.body, { ...frame, directory: { ...frame.directory }, forks: true })];
    default:
      markOpaque(draft, span, `Uses ${node.type}, which isn't known`);
      return [];
  }
}

/** Whatever changed the directory may have failed, unless the next command runs only after its success. */
function visitStatement(draft: Draft, node: Statement, frame: Frame): readonly Step[] {
  if (node.background) {
    draft.loose.push(notSafe("process-control", "Leaves a command running in the background", spanIn(frame, node)));
    const inner = { ...frame, directory: { ...frame.directory }, forks: true };
    return [() => visit(draft, node.command, inner)];
  }
  return [() => visit(draft, node.command, frame), doubtDirectory(frame)];
}

function visitAndOr(draft: Draft, node: AndOr, frame: Frame): readonly Step[] {
  const certainOrder = node.operators.every((operator) => operator === "&&");
  return node.commands.flatMap((child): Step[] => {
    const step: Step = () => visit(draft, child, frame);
    return certainOrder ? [step] : [step, doubtDirectory(frame)];
  });
}

function visitPipeline(draft: Draft, node: Pipeline, frame: Frame): readonly Step[] {
  const piped = node.commands.length > 1;
  if (node.commands.length === 0) markOpaque(draft, spanIn(frame, node), "Holds a pipeline without a command");
  const starts: number[] = [];
  const steps = node.commands.flatMap((child): Step[] => [
    () => {
      starts.push(draft.parts.length);
      return [];
    },
    () => visit(draft, child, piped ? { ...frame, directory: { ...frame.directory }, forks: true } : frame),
  ]);
  const finish: Step = () => {
    if (piped) judgePipeline(draft, starts);
    return [];
  };
  return [...steps, finish, doubtDirectory(frame)];
}

/** What a plain statement leaves behind: it may have failed, or been negated. */
function doubtDirectory(frame: Frame): Step {
  const { directory } = frame;
  const { path } = directory;
  return () => {
    if (directory.path !== path) directory.certain = false;
    return [];
  };
}
