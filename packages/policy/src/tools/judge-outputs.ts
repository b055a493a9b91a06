import { OUTPUTS, type Output } from "../catalog/index.ts";
import type { Effect, WordReading } from "../model/index.ts";
import { ARMS_TOOL, judgeWrite, type PathSite } from "../paths/index.ts";
import { judgeCopies } from "./judge-operands.ts";

const compiled = OUTPUTS.map((output) => ({
  ...output,
  when: toPattern(output.when),
  unless: toPattern(output.unless),
}));
const byName = new Map(
  OUTPUTS.flatMap(({ names }) => names.map((name) => [name, compiled.filter((one) => one.names.includes(name))])),
);

function toPattern(text: string | undefined): RegExp | undefined {
  return text === undefined ? undefined : new RegExp(text);
}

/** Harm that a program without a table would do by writing where its words say: to the system, or where code starts. */
export function judgeOutputs(name: string, words: readonly WordReading[], site: PathSite): Effect[] {
  const some = (pattern: RegExp | undefined) => words.some((word) => pattern?.test(word.mask));
  return (byName.get(name) ?? []).flatMap((output) => {
    const applies = (output.when === undefined || some(output.when)) && !some(output.unless);
    const operands = applies ? takeOperands(output, words) : [];
    const copies =
      applies && output.operands === "last" ? judgeCopies(takeOperands({ operands: "all" }, words), site) : [];
    const values = applies || output.operands ? (output.options ?? []).flatMap((one) => takeValues(one, words)) : [];
    return [...operands, ...values]
      .filter((word) => !/^[\w.+-]+(@[\w.-]+)?:/.test(word.mask))
      .flatMap((word) => judgeWrite(word, site))
      .concat(copies)
      .filter((effect) => effect.risk === "dangerous" || effect.ruleId === ARMS_TOOL);
  });
}

function takeOperands({ operands }: Pick<Output, "operands">, words: readonly WordReading[]): readonly WordReading[] {
  if (operands === undefined) return [];
  const plain = words.filter((word) => !word.mask.startsWith("-"));
  if (operands === "all") return plain;
  if (operands === "second") return words.slice(1, 2).filter((word) => plain.includes(word));
  return operands === "last" ? plain.slice(-1) : plain.slice(1);
}

/** The values of an option: the next word, or what is stuck to it. Short ones may end a cluster. */
function takeValues(option: string, words: readonly WordReading[]): WordReading[] {
  const long = option.startsWith("--") || option.length > 2;
  return words.flatMap((word, index) => {
    const { mask } = word;
    const next = words[index + 1];
    if (mask === option || (!long && isCluster(mask, option))) return next === undefined ? [] : [next];
    const head = long ? `${option}=` : option;
    return mask.startsWith(head) && mask.length > head.length ? [cut(word, head.length)] : [];
  });
}

function isCluster(mask: string, option: string): boolean {
  return /^-[A-Za-z]+$/.test(mask) && mask.endsWith(option[1] ?? " ");
}

function cut(word: WordReading, from: number): WordReading {
  const mask = word.mask.slice(from);
  const guess = word.guess.slice(from);
  return { ...word, mask, guess, literal: word.literal === null ? null : mask, tilde: mask.startsWith("~") };
}
