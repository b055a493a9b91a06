import { DECLARES, REWRITES_SHELL, SHOWS_ALONE } from "../catalog/index.ts";
import { changeDirectory, loseDirectory, setVariable, unclearValue } from "../expressions/index.ts";
import { type Effect, MAX_VALUE_LENGTH, makeEffect, type Span, type WordReading } from "../model/index.ts";
import { noteHidden, splitOptions, UNKNOWN, undefine } from "../shell/index.ts";
import type { Identified } from "../tools/index.ts";
import { judgeArithmetic } from "./judge-arithmetic.ts";
import { judgeDeclaration } from "./judge-declaration.ts";
import type { Judged, Setting } from "./judge-program.ts";
import { judgeRewrite } from "./judge-rewrite.ts";
import { judgeSet } from "./judge-set.ts";
import { judgeTrap } from "./judge-trap.ts";

/** Builtins that change the shell itself; undefined for the others, which are judged as programs are. */
export function judgeBuiltin({ name, builtin }: Identified, setting: Setting): Judged | undefined {
  if (!builtin) return undefined;
  const judge = JUDGES.get(name);
  if (judge === undefined) return judgeOther(name, setting);
  const effects = judge(setting);
  if (effects === undefined) return undefined;
  const [head] = setting.words;
  const { draft, call } = setting;
  // Loops are searched for the names that they set: they must be written as they are.
  const plain = head?.text === head?.literal || head?.literal === "cd";
  const foreign = setting.frame.shell.foreign && name !== "cd";
  const all = [
    ...effects,
    ...(plain ? [] : [unclearValue(`Calls ${name} by another spelling`, call.span)]),
    ...(foreign ? [unclearValue(`Uses ${name}, which isn't the same in every shell`, call.span)] : []),
  ];
  if (all.some((effect) => effect.kind === "obfuscation"))
    for (const { literal, span } of setting.words) noteHidden(draft, literal ?? "", span);
  return { effects: all, ...(name === "cd" ? { described: true } : {}) };
}

function judgeOther(name: string, setting: Setting): Judged | undefined {
  // Alone they show what is set.
  if (SHOWS_ALONE.includes(name) && setting.words.length === 1) return { effects: [] };
  if (name === "trap") return judgeTrap(setting) ?? judgeRewrite(name, setting);
  if (REWRITES_SHELL.includes(name)) return judgeRewrite(name, setting);
  const { operands } = setting;
  const asks = name === "command" && /^-[pvV]*[vV]/.test(operands[0]?.literal ?? "");
  return asks && operands.every((word) => word.literal !== null) ? { effects: [] } : undefined;
}

type JudgeBuiltin = (setting: Setting) => Effect[] | undefined;

const JUDGES = new Map<string, JudgeBuiltin>([
  ["cd", ({ operands, frame, site }) => changeDirectory(operands, frame, site)],
  ["pushd", judgePushd],
  ["popd", judgePopd],
  [
    "dirs",
    ({ words, call }) => (words.length === 1 ? [] : [unclearValue("Changes the list of directories", call.span)]),
  ],
  ["read", (setting) => judgeReading(setting, { flags: "rs", valued: "adnNptu" })],
  ["mapfile", (setting) => judgeReading(setting, { flags: "t", valued: "dnOsu" })],
  ["readarray", (setting) => judgeReading(setting, { flags: "t", valued: "dnOsu" })],
  ["getopts", judgeGetopts],
  ["printf", judgePrintf],
  ["unset", judgeUnset],
  ["let", judgeLet],
  ["shift", judgeShift],
  ["set", judgeSet],
  // Without a command it only redirects, and redirects are judged for themselves.
  ["exec", ({ words }) => (words.length === 1 ? [] : undefined)],
  ...DECLARES.map((name): [string, JudgeBuiltin] => [name, judgeDeclaration]),
]);

function judgePushd({ operands, frame, site, call }: Setting): Effect[] {
  if (operands.length === 1 && !/^[-+]/.test(operands[0]?.mask ?? "")) return changeDirectory(operands, frame, site);
  loseDirectory(frame);
  return [unclearValue("Changes to another directory of the list", call.span)];
}

function judgePopd({ words, frame, call }: Setting): Effect[] {
  loseDirectory(frame);
  return words.length === 1 ? [] : [unclearValue("Changes the list of directories", call.span)];
}

/** `read` and `mapfile` set variables to what they read, so that nobody knows their values. */
function judgeReading(setting: Setting, options: { flags: string; valued: string }): Effect[] {
  const { words, operands, call } = setting;
  const split = splitOptions(operands, options);
  const numbers = /^[nNtuOs]$/;
  const odd = split?.values.some(
    ({ option, word }) =>
      word.shape === "other" || !word.single || (numbers.test(option) && !/^\d+(\.\d+)?$/.test(word.literal ?? "")),
  );
  const arrays = split?.values.filter(({ option }) => option === "a").map(({ word }) => word) ?? [];
  const effects = setNames(setting, [...arrays, ...(split?.operands ?? operands)]);
  if (words.some((word) => /^-[a-zA-Z]*C/.test(word.mask))) effects.push(callsBack(call.span));
  return split === undefined || odd
    ? [...effects, unclearValue(`Uses options of ${words[0]?.literal} that aren't in the tables`, call.span)]
    : effects;
}

/** `mapfile -C text` runs the text, with lines that nobody has seen. */
function callsBack(span: Span): Effect {
  const sentence = "Matches dangerous pattern: runs a command for the lines that it reads";
  const about = { kind: "obfuscation", risk: "dangerous", layer: "dangerous-pattern" } as const;
  return makeEffect(span, { ...about, ruleId: "shell.callback", sentence });
}

/** Names must be written as they are: a subscript would be evaluated, and what is spelled otherwise isn't found in loops. */
function setNames({ draft, frame, call }: Setting, words: readonly WordReading[]): Effect[] {
  const line = (call.stdin ?? "").split("\n", 1)[0] ?? "";
  const value = line === "" || line.length > MAX_VALUE_LENGTH ? UNKNOWN : { ...UNKNOWN, guesses: [line] };
  return words.flatMap((word) => {
    const name = word.literal;
    if (name === null || name !== word.text || !/^[A-Za-z_]\w*$/.test(name))
      return [unclearValue(`Sets ${word.text}, which isn't a plain name`, call.span)];
    return setVariable(draft, frame, { name, value, span: call.span });
  });
}

function judgeGetopts(setting: Setting): Effect[] {
  const [options, name] = setting.operands;
  if (options?.literal === null || options === undefined || name === undefined)
    return [unclearValue("Reads options that aren't literal", setting.call.span)];
  return setNames(setting, [name]);
}

/** `printf -v name` sets a variable; the rest is judged as printf is. */
function judgePrintf(setting: Setting): Effect[] | undefined {
  const [, option, name, format, ...rest] = setting.words;
  if (!option?.mask.startsWith("-v")) return undefined;
  const { call } = setting;
  const plain = option.literal === "-v" && name !== undefined && format?.literal !== null && format !== undefined;
  // `%n` and a `-` at the start are left to those who know them.
  const harmless = plain && !/^-|%[^%a-zA-Z]*[hlLjztq]*n/.test(format.literal.replaceAll("%%", ""));
  const effects = name === undefined ? [] : setNames(setting, [name]);
  const open = rest.some((word) => word.shape === "other");
  return harmless && !open
    ? effects
    : [...effects, unclearValue("Uses printf -v with words that aren't literal", call.span)];
}

function judgeUnset(setting: Setting): Effect[] {
  const { operands, frame, call } = setting;
  const split = splitOptions(operands, { flags: "vf", valued: "" });
  if (split === undefined) return [unclearValue("Unsets something that isn't a plain name", call.span)];
  if (split.options.includes("f")) {
    for (const { literal } of split.operands) if (literal !== null) undefine(frame.shell, literal);
    return split.operands.every((word) => word.literal === word.text)
      ? []
      : [unclearValue("Unsets a function", call.span)];
  }
  // Without -v it may be a function that is unset.
  const functions = split.operands.filter(({ literal }) => literal !== null && frame.shell.functions.has(literal));
  const effects = setNames(setting, split.operands);
  return functions.length === 0 ? effects : [...effects, unclearValue("Unsets a function", call.span)];
}

function judgeLet({ operands, draft, frame, call }: Setting): Effect[] {
  return operands.flatMap((word) => {
    if (word.literal === null || word.indirect) return [unclearValue(`Evaluates ${word.text}`, call.span)];
    return judgeArithmetic(draft, frame, { text: word.literal, span: call.span });
  });
}

function judgeShift({ operands, frame, call }: Setting): Effect[] {
  const { shell } = frame;
  const [by, further] = operands;
  const count = by === undefined ? 1 : Number(/^\d{1,4}$/.exec(by.literal ?? "")?.[0] ?? Number.NaN);
  const { words: held, open } = shell.positional ?? { words: [], open: true };
  // Past the end nothing is shifted.
  const known = count <= held.length;
  shell.positional = known ? { words: held.slice(count), open } : undefined;
  return Number.isNaN(count) || further ? [unclearValue("Shifts by something that isn't literal", call.span)] : [];
}
