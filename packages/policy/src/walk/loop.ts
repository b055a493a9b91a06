import {
  type ArithmeticFor,
  type For,
  parse,
  type Select,
  type SyntaxNode,
  type While,
  type Word as WordNode,
} from "unbash";
import { MAX_COPIES, MAX_GUESSES, MAX_UNROLLED_LENGTH, shellEffect, textOf, type Word } from "../model/index.ts";
import { judgeRead } from "../paths/index.ts";
import { enterLoop, type Frame, knowledgeOf, knownValue, readFields, spanIn, type Value } from "../shell/index.ts";
import { judgeArithmetic } from "./arithmetic-command.ts";
import { setVariable } from "./assignment.ts";
import { maybe, once, type Step, type Walker } from "./step.ts";

/** Walks `while` and `until`. A round may see what the previous round set. */
export function visitWhile(walker: Walker, node: While, frame: Frame): readonly Step[] {
  const { into } = walker;
  // `read` yields lines that nobody has seen.
  const reads = /\bread\b/.test(frame.source.slice(node.clause.pos, node.clause.end));
  const loop = { ...frame, inLoop: true, sweeps: frame.sweeps || reads };
  return maybe(frame, [
    once(() => enterLoop(frame.shell, frame.names())),
    into(node.clause, loop),
    ...visitRounds(walker, node.body, loop),
  ]);
}

export function visitArithmeticFor(walker: Walker, node: ArithmeticFor, frame: Frame): readonly Step[] {
  const { draft, nested } = walker;
  const { initialize, test, update } = node;
  const judge = (one: SyntaxNode | undefined): Step =>
    once(() => {
      if (one === undefined) return;
      const text = frame.source.slice(one.pos, one.end);
      draft.loose.push(...judgeArithmetic(draft, frame, { text, span: spanIn(frame, one), node: one }));
    });
  return [
    ...nested(
      [initialize, test, update].filter((one) => one !== undefined),
      frame,
    ),
    judge(initialize),
    ...maybe(frame, [
      once(() => enterLoop(frame.shell, frame.names())),
      judge(test),
      ...visitRounds(walker, node.body, { ...frame, inLoop: true }),
      judge(update),
    ]),
  ];
}

/** `for` without a list uses the positional parameters. */
const POSITIONAL = parseList('for x in "$@"; do :; done');

function parseList(loop: string): readonly WordNode[] {
  const command = parse(loop).commands[0]?.command;
  if (command?.type !== "For" || command.wordlist === undefined) throw new Error(`${loop} isn't a loop over a list`);
  return command.wordlist;
}

/** Walks `for`. A few known words are walked one by one; a longer list gives the variable possible values. */
export function visitFor(walker: Walker, node: For | Select, frame: Frame): readonly Step[] {
  const { draft, into, nested } = walker;
  const span = spanIn(frame, node);
  const knowledge = knowledgeOf(draft, frame);
  const list = node.wordlist ?? POSITIONAL;
  const words = list.flatMap((word) => readFields(word, span, knowledge));
  const name = node.name.value;
  const set = (value: Value): Step => once(() => draft.loose.push(...setVariable(draft, frame, { name, value, span })));
  const sweeps = frame.sweeps || words.some((word) => word.shape === "substitution");
  const loop = { ...frame, inLoop: true, sweeps };
  if (node.type === "Select") draft.loose.push(shellEffect("process-control", "Asks for input with select", span));
  const known = words.flatMap((word) => textOf(word, draft.machine.home).known ?? []);
  const copies = frame.copies * words.length;
  const all = known.length === words.length && node.type === "For";
  if (all && copies <= MAX_COPIES && (node.body.end - node.body.pos) * words.length <= MAX_UNROLLED_LENGTH) {
    const rounds = known.flatMap((text) => [
      set(knownValue(text)),
      ...maybe(frame, [into(node.body, { ...loop, copies })]),
    ]);
    const body = known.length === 0 ? [into(node.body, loop)] : rounds;
    return [...nested(list, frame), ...maybe(frame, body)];
  }
  judgeList(walker, words, frame, node);
  const value = oneOf(words, draft.machine.home);
  const enter = once(() => enterLoop(frame.shell, frame.names()));
  return [...nested(list, frame), ...maybe(frame, [enter, set(value), ...visitRounds(walker, node.body, loop)])];
}

/** Walks the body once, and again for harm if the first round set something. */
function visitRounds({ into, suspect }: Walker, body: SyntaxNode, frame: Frame): Step[] {
  const { shell } = frame;
  const copies = frame.copies * 2;
  let before = shell.variables;
  const remember = once(() => {
    before = shell.variables;
  });
  const again: Step = () => {
    const short = copies <= MAX_COPIES && (body.end - body.pos) * copies <= MAX_UNROLLED_LENGTH;
    return shell.variables === before || !short ? [] : [suspect(body, { ...frame, copies })];
  };
  return [remember, into(body, { ...frame, copies }), again];
}

/** Judges the loop's words as reads, because the body may read its variable. */
function judgeList({ draft }: Walker, words: readonly Word[], frame: Frame, node: For | Select): void {
  const span = spanIn(frame, node);
  const site = { machine: draft.machine, directory: frame.directory, span, own: false, layer: "shell-syntax" } as const;
  for (const word of words) {
    const read = judgeRead(word, { namesOnly: false, recursive: false }, site);
    draft.loose.push(...read.filter((effect) => effect.risk !== "safe" || effect.reliesOnJail));
    if (word.shape === "other")
      draft.loose.push(shellEffect("obfuscation", `Uses ${word.text}, which can't be read with certainty`, span));
  }
}

function oneOf(words: readonly Word[], home: string): Value {
  const guesses = words.flatMap((word) => textOf(word, home).guess ?? []).slice(0, MAX_GUESSES);
  return { number: words.length > 0 && words.every((word) => word.number), guesses };
}
