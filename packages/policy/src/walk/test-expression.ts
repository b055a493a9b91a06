import type { TestCommand, TestExpression } from "unbash";
import { type Effect, makeEffect, type Span, type Word } from "../model/index.ts";
import { judgeRead, type PathSite } from "../paths/index.ts";
import {
  calculates,
  type Draft,
  type Frame,
  type Knowledge,
  knowledgeOf,
  noteHidden,
  readWord,
  spanIn,
} from "../shell/index.ts";

export const TEST_UNCLEAR = "test.unclear";
const FILE_TESTS = /^-[abcdefghkprstuwxGLNOS]$/;
const TEXT_TESTS = /^-[nz]$/;
/** They take the name of a variable or option; bash evaluates a subscript in it. */
const NAME_TESTS = /^-[vo]$/;
const COMPARISONS = /^(=|==|!=|<|>|=~)$/;
const FILE_COMPARISONS = /^-(nt|ot|ef)$/;
const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;
const NAMES = { namesOnly: true, recursive: false };

/** Judges `test …` and `[ … ]`. Each word must stay one field: a split word may add an operator. */
export function judgeTest(name: string, words: readonly Word[], site: PathSite): Effect[] {
  let operands = words;
  if (name === "[") {
    if (words.at(-1)?.literal !== "]") return [unclear(site.span)];
    operands = words.slice(0, -1);
  }
  while (operands[0]?.literal === "!" && operands.length > 1) operands = operands.slice(1);
  // A number adds no operator, even if it splits.
  const open = operands.some((word) => (!word.single && !word.number) || word.shape === "other");
  if (open) return [unclear(site.span)];
  const [first, second, third] = operands;
  if (operands.length === 0) return [];
  if (first !== undefined && operands.length === 1) return [];
  if (first && second && operands.length === 2) return judgeUnary(first.literal ?? "", second, site);
  if (!first || !second || !third || operands.length > 3) return [unclear(site.span)];
  const operator = second.literal ?? "";
  // Unlike `[[`, it doesn't evaluate numbers, and `-a` and `-o` mean "and" and "or".
  return NUMERIC.test(operator) || /^-[ao]$/.test(operator) ? [] : judgeBinary(operator, [first, third], site);
}

/** Judges `[[ … ]]`: nothing is split, but arithmetic and names are evaluated again. */
function judgeTestCommand(
  command: TestCommand,
  { read, knowledge }: { read: (word: TestCommandWord) => Word; knowledge: Knowledge },
  site: PathSite,
): Effect[] {
  const isNumber = (word: Word) =>
    word.number === true || (word.literal !== null && calculates(word.literal, knowledge));
  const effects: Effect[] = [];
  const pending: TestExpression[] = [command.expression];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "TestLogical") pending.push(...node.operands);
    else if (node.type === "TestNot") pending.push(node.operand);
    else if (node.type === "TestGroup") pending.push(node.expression);
    else if (node.type === "TestUnary") effects.push(...judgeUnary(node.operator, read(node.operand), site));
    else if (node.type === "TestBinary") {
      const words = [read(node.left), read(node.right)];
      const numeric = NUMERIC.test(node.operator) && words.every(isNumber);
      if (!numeric) effects.push(...judgeBinary(node.operator, words, site));
    } else effects.push(unclear(site.span));
  }
  return effects;
}

type TestCommandWord = Extract<TestExpression, { type: "TestUnary" }>["operand"];

function judgeUnary(operator: string, word: Word, site: PathSite): Effect[] {
  if (word.shape === "other") return [unclear(site.span)];
  if (TEXT_TESTS.test(operator)) return [];
  if (NAME_TESTS.test(operator) && /^[A-Za-z_]\w*$/.test(word.literal ?? "")) return [];
  return FILE_TESTS.test(operator) ? judgeRead(word, NAMES, site) : [unclear(site.span)];
}

function judgeBinary(operator: string, words: readonly Word[], site: PathSite): Effect[] {
  if (words.some((word) => word.shape === "other")) return [unclear(site.span)];
  if (COMPARISONS.test(operator)) return [];
  if (FILE_COMPARISONS.test(operator)) return words.flatMap((word) => judgeRead(word, NAMES, site));
  return [unclear(site.span)];
}

function unclear(span: Span): Effect {
  const sentence = "Tests something that may evaluate code";
  return makeEffect(span, { kind: "obfuscation", ruleId: TEST_UNCLEAR, sentence });
}

/** Judges a `[[ … ]]` node of the script. */
export function judgeTestNode(draft: Draft, node: TestCommand, frame: Frame): Effect[] {
  const span = spanIn(frame, node);
  const knowledge = knowledgeOf(draft, frame);
  const site = { machine: draft.machine, directory: frame.directory, span, own: false, layer: "shell-syntax" } as const;
  noteHidden(draft, frame.source.slice(node.pos, node.end), span);
  return judgeTestCommand(node, { read: (word) => readWord(word, span, knowledge), knowledge }, site);
}
