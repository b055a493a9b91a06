import type { Assignment, Command, SyntaxNode, Word as WordNode } from "unbash";
import { DOWNLOADERS, SPECIAL_BUILTINS } from "../catalog/index.ts";
import { finishCarried, finishSuspicion, printedText, startSuspicion } from "../data-flow/index.ts";
import {
  basename,
  type Effect,
  literalWord,
  MAX_GUESSES,
  MAX_WORDS,
  makeEffect,
  type Span,
  textOf,
  WILD,
  type Word,
} from "../model/index.ts";
import {
  assign,
  type Call,
  type Carried,
  type Draft,
  type DraftPart,
  doubt,
  type Followup,
  type Frame,
  fork,
  isIgnored,
  judgeVariable,
  type Knowledge,
  knowledgeOf,
  markOpaque,
  readAssigned,
  readFields,
  spanIn,
  startShell,
  UNKNOWN,
  wordValue,
} from "../shell/index.ts";
import { judgeAssignment } from "./assignment.ts";
import { judgeCommand } from "./parts.ts";
import { judgeRedirect, readStdin } from "./redirect.ts";
import type { Step } from "./step.ts";

/** The walker's functions that a command uses. */
interface Surrounding {
  readonly frame: Frame;
  readonly nested: (draft: Draft, nodes: readonly SyntaxNode[], frame: Frame) => readonly Step[];
  /** Walks what the command runs, and adds the results to `into`. */
  readonly follow: (followup: Followup, into: Draft) => readonly Step[];
}

/** Walks a simple command: first its substitutions, as bash does, then itself, then the shell text that it runs. */
export function visitCommand(draft: Draft, node: Command, around: Surrounding): readonly Step[] {
  const before = draft.parts.length;
  const judge: Step = () => {
    const fedBy = draft.parts.slice(before);
    const fedByDownload = fedBy.some((part) => DOWNLOADERS.includes(basename(part.words[0] ?? "")));
    return judgeInPlace(draft, node, { around, fedByDownload, fedBy });
  };
  // Most commands have only plain words, which contain no substitution.
  const plain = node.name?.parts === undefined && node.prefix.every(isPlain) && node.suffix.every(isPlain);
  return plain ? [judge] : [...around.nested(draft, [node], around.frame), judge];
}

function isPlain(one: Command["prefix"][number] | Command["suffix"][number]): boolean {
  return one.type === "Word" && one.parts === undefined;
}

interface Place {
  readonly around: Surrounding;
  readonly fedByDownload: boolean;
  readonly fedBy: readonly DraftPart[];
}

function judgeInPlace(draft: Draft, node: Command, place: Place): readonly Step[] {
  const { frame } = place.around;
  if (skipsText(node, frame.source)) {
    markOpaque(draft, spanIn(frame, node), "Contains text that isn't part of any command");
  }
  const redirects = judgeRedirects(draft, node, frame);
  if (node.name === undefined) {
    draft.loose.push(...redirects, ...judgeAssignments(draft, node, place));
    return [];
  }
  const knowledge = knowledgeOf(draft, frame);
  const call = readCall(draft, node, { place, knowledge });
  if (call.words.length === 0) {
    // The command word expanded to nothing, so only assignments are left.
    draft.loose.push(...redirects, ...call.foreign, ...judgeAssignments(draft, node, place));
    return [];
  }
  const foreign = [...redirects, ...judgePrefix(draft, node, frame), ...call.foreign];
  const [head] = call.words;
  const vanishes = head?.literal === null && !head.single && call.words.length > 1;
  // Possible values matter only if the value isn't certain.
  const before = knowledge.tries > 0 || vanishes ? withFrame(place, fork(frame)) : undefined;
  const steps = follow(draft, judgeCommand(draft, frame, { ...call, foreign }), place);
  if (before === undefined) return steps;
  return [
    ...steps,
    ...suspectCall(draft, node, { place: before, rounds: knowledge.tries }),
    ...(vanishes ? [suspectWords(draft, { ...call, words: call.words.slice(1) }, before)] : []),
  ];
}

function judgeAssignments(draft: Draft, node: Command, { around, fedBy, fedByDownload }: Place): Effect[] {
  const [only, second] = fedBy;
  const printed = only !== undefined && second === undefined ? printedText(only) : undefined;
  const given = { fedByDownload, ...(printed === undefined ? {} : { printed }) };
  return node.prefix.flatMap((one) =>
    one.type === "Assignment" ? judgeAssignment(draft, around.frame, { node: one, ...given }) : [],
  );
}

/** Judges the command again for each possible value of its variables, and keeps the dangerous effects. */
function suspectCall(draft: Draft, node: Command, { place, rounds }: { place: Place; rounds: number }): Step[] {
  return Array.from(
    { length: Math.min(rounds, MAX_GUESSES) },
    (_, suspect): Step =>
      () => {
        const scratch = startSuspicion(draft);
        const inner = withFrame(place, fork(place.around.frame));
        const { frame } = inner.around;
        const call = readCall(scratch, node, { place: inner, knowledge: { ...knowledgeOf(scratch, frame), suspect } });
        return [suspectWords(draft, call, inner)];
      },
  );
}

/** If the command word expands to nothing, the next word is the command. */
function suspectWords(draft: Draft, call: Call, place: Place): Step {
  return () => {
    const scratch = startSuspicion(draft);
    const inner = withFrame(place, fork(place.around.frame));
    const steps = follow(scratch, judgeCommand(scratch, inner.around.frame, { ...call, foreign: [] }), inner);
    return [...steps, () => finishSuspicion(draft, scratch)];
  };
}

function follow(draft: Draft, followups: readonly Followup[], place: Place): Step[] {
  const { around } = place;
  return followups.map((followup) => () => {
    const sure = followup.kind === "source" || (followup.kind === "function" && !followup.suspected);
    if (sure) return around.follow(followup, draft);
    const scratch = startSuspicion(draft);
    const frame = fork(followup.frame);
    if (followup.kind === "function") {
      const steps = around.follow({ ...followup, frame }, scratch);
      return [...steps, () => finishSuspicion(draft, scratch)];
    }
    const { carried, call } = followup;
    const steps = followCarried(scratch, { carried, call, frame }, withFrame(place, frame));
    return [...steps, () => finishCarried(draft, scratch, carried.where)];
  });
}

/** Walks what a carrier runs, in a shell or directly. */
function followCarried(
  scratch: Draft,
  { carried, call, frame }: { carried: Carried; call: Call; frame: Frame },
  place: Place,
): readonly Step[] {
  const inner = { ...frame, sweeps: frame.sweeps || carried.sweeps };
  if (carried.text === undefined) {
    const words = carried.words ?? [];
    return follow(scratch, judgeCommand(scratch, inner, { ...call, words, foreign: [] }), place);
  }
  const shell = startShell(frame.shell, true);
  return place.around.follow(
    { kind: "source", source: carried.text, frame: { ...inner, shell, span: call.span } },
    scratch,
  );
}

function withFrame(place: Place, frame: Frame): Place {
  return { ...place, around: { ...place.around, frame } };
}

function readCall(draft: Draft, node: Command, { place, knowledge }: { place: Place; knowledge: Knowledge }): Call {
  const { frame } = place.around;
  const span = spanIn(frame, node);
  const words: Word[] = [];
  for (const arg of [node.name as WordNode, ...node.args]) {
    if (words.length > MAX_WORDS) {
      markOpaque(draft, span, "Has more words than the parser reads");
      break;
    }
    const at = spanIn(frame, arg);
    if (arg.type === "Word") words.push(...readFields(arg, at, knowledge));
    else words.push(readDeclared(arg, at, knowledge));
  }
  const unclear = words.find((word) => word.shape === "other");
  return {
    span,
    words,
    foreign: unclear === undefined ? [] : [uncertain(unclear)],
    stdin: node.redirects.map((one) => readStdin(one, span, knowledge)).find((text) => text !== undefined),
    fedByDownload: place.fedByDownload || knowledge.downloaded,
    fedBy: place.fedBy,
  };
}

/** Returns an effect for operators, subscripts and braces: they may run code or change variables. */
function uncertain({ text, span }: Word): Effect {
  const sentence = `Uses ${text}, which can't be read with certainty`;
  return makeEffect(span, { kind: "obfuscation", ruleId: "word.uncertain", sentence });
}

function judgeRedirects(draft: Draft, node: Command, frame: Frame): Effect[] {
  if (node.redirects.length === 0) return [];
  const effects = node.redirects.flatMap((redirect) => judgeRedirect(draft, redirect, frame));
  return [...effects, ...judgeEmptying(node, effects)];
}

/**
 * Judges assignments before a command, which form its environment. Functions see them, and some builtins of POSIX
 * shells keep them, so the variable is uncertain afterwards.
 */
function judgePrefix(draft: Draft, node: Command, frame: Frame): Effect[] {
  const effects: Effect[] = [];
  const { shell } = frame;
  const name = node.name?.value ?? "";
  for (const one of node.prefix) {
    if (one.type !== "Assignment") continue;
    const span = spanIn(frame, one);
    const word = one.value.type === "Word" ? readAssigned(one.value, span, knowledgeOf(draft, frame)) : undefined;
    const plain = word !== undefined && one.index === undefined && !one.append;
    const value = plain ? word.mask : null;
    // It only changes how `read` splits its input.
    const harmless =
      one.name === "IFS" && name === "read" && plain && word.literal !== null && !shell.functions.has("read");
    const ignored = isIgnored(one.name, name) && !shell.functions.has(name);
    if (!harmless && !ignored) effects.push(...judgeVariable(one.name, value, span));
    if (word?.shape === "other") effects.push(uncertain(word));
    // A command word that isn't literal may expand to nothing, or to one of these.
    if (node.name?.parts === undefined && !SPECIAL_BUILTINS.includes(name) && !shell.functions.has(name)) continue;
    const given = word === undefined ? UNKNOWN : wordValue(word, draft.machine.home);
    assign(shell, one.name, doubt(given, shell.variables.get(one.name)));
  }
  return effects;
}

/**
 * Reports whether the parser skipped text: it is known to drop a parenthesis (`ls (a`), and dropped text isn't judged.
 * Only blanks may separate words, and only a terminator may follow the last one.
 */
function skipsText(node: Command, source: string): boolean {
  const nodes = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
  let end = nodes[0]?.pos ?? node.pos;
  for (const one of nodes) {
    const between = source.slice(end, one.pos);
    if (one.pos < end || (between !== "" && between !== " " && !/^(?:[ \t]|\\\n)*$/.test(between))) return true;
    end = one.end;
  }
  return !/^(?:[ \t]|\\\n)*(?:$|[\n;&|)`#])/.test(source.slice(end, end + 4_096));
}

/** Raises writes to deletions if the file is emptied: `> file` without a command, or with one that prints nothing. */
function judgeEmptying(node: Command, foreign: readonly Effect[]): Effect[] {
  const empties = node.redirects.some(
    (one) => one.type === "Redirect" && (one.operator === ">" || one.operator === ">|"),
  );
  if (!empties) return [];
  const line = [node.name?.value ?? ":", ...node.args.map((arg) => (arg.type === "Word" ? arg.value : ""))].join(" ");
  const silent = [":", "true", "cat /dev/null", "printf", "printf ", "echo -n", "echo -n "].includes(line);
  if (!silent) return [];
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

/** Reads `export name=value` and similar words as one word, as the builtin does. */
function readDeclared(node: Assignment, span: Span, knowledge: Knowledge): Word {
  const word = node.value.type === "Word" ? readAssigned(node.value, span, knowledge) : undefined;
  const text = literalWord(node.text, span);
  // `declare x={a,b}` is `declare x=a x=b`.
  const braces = node.value.type === "Word" && node.value.parts?.some((part) => part.type === "BraceExpansion");
  if (word === undefined || node.index !== undefined || word.shape === "other" || braces)
    return { ...text, literal: null, shape: "other" };
  const { known, guess } = textOf(word, knowledge.home);
  const head = `${node.name}${node.append ? "+" : ""}=`;
  const mask = head + (known ?? word.mask);
  return {
    ...text,
    mask,
    guess: head + (guess ?? WILD),
    ...(known === undefined ? { literal: null, shape: word.shape } : { literal: mask }),
    number: word.number,
  };
}
