import { DECLARES, HARMLESS_SHELL_OPTIONS, REWRITES_SHELL, SHOWS_ALONE } from "../catalog/index.ts";
import { type Effect, MAX_VALUE_LENGTH, makeEffect, type Span, type Word } from "../model/index.ts";
import type { Identified } from "../programs/index.ts";
import { noteHidden, positionalOf, splitOptions, UNKNOWN, undefine } from "../shell/index.ts";
import { judgeArithmetic } from "./arithmetic-command.ts";
import { judgeDeclaration, setVariable, unclearValue } from "./assignment.ts";
import { changeDirectory, loseDirectory } from "./directory.ts";
import type { Invocation, Judged } from "./invocation.ts";
import { judgeRewrite } from "./rewrite.ts";

/** Judges builtins that change the shell itself; returns undefined for those that are judged like programs. */
export function judgeBuiltin({ name, builtin }: Identified, invocation: Invocation): Judged | undefined {
  if (!builtin) return undefined;
  const judge = JUDGES.get(name);
  if (judge === undefined) return judgeOther(name, invocation);
  const effects = judge(invocation);
  if (effects === undefined) return undefined;
  const [head] = invocation.words;
  const { draft, call } = invocation;
  // The scan for names that a loop sets needs them spelled plainly.
  const plain = head?.text === head?.literal || head?.literal === "cd";
  const foreign = invocation.frame.shell.foreign && name !== "cd";
  const all = [
    ...effects,
    ...(plain ? [] : [unclearValue(`Calls ${name} by another spelling`, call.span)]),
    ...(foreign ? [unclearValue(`Uses ${name}, which isn't the same in every shell`, call.span)] : []),
  ];
  if (all.some((effect) => effect.kind === "obfuscation"))
    for (const { literal, span } of invocation.words) noteHidden(draft, literal ?? "", span);
  return { effects: all, ...(name === "cd" ? { described: true } : {}) };
}

function judgeOther(name: string, invocation: Invocation): Judged | undefined {
  // Without words they show variables.
  if (SHOWS_ALONE.includes(name) && invocation.words.length === 1) return { effects: [] };
  if (name === "trap") return judgeTrap(invocation) ?? judgeRewrite(name, invocation);
  if (REWRITES_SHELL.includes(name)) return judgeRewrite(name, invocation);
  const { operands } = invocation;
  const asks = name === "command" && /^-[pvV]*[vV]/.test(operands[0]?.literal ?? "");
  return asks && operands.every((word) => word.literal !== null) ? { effects: [] } : undefined;
}

type JudgeBuiltin = (invocation: Invocation) => Effect[] | undefined;

const JUDGES = new Map<string, JudgeBuiltin>([
  ["cd", ({ operands, frame, site }) => changeDirectory(operands, frame, site)],
  ["pushd", judgePushd],
  ["popd", judgePopd],
  [
    "dirs",
    ({ words, call }) => (words.length === 1 ? [] : [unclearValue("Changes the list of directories", call.span)]),
  ],
  ["read", (invocation) => judgeReading(invocation, { flags: "rs", valued: "adnNptu" })],
  ["mapfile", (invocation) => judgeReading(invocation, { flags: "t", valued: "dnOsu" })],
  ["readarray", (invocation) => judgeReading(invocation, { flags: "t", valued: "dnOsu" })],
  ["getopts", judgeGetopts],
  ["printf", judgePrintf],
  ["unset", judgeUnset],
  ["let", judgeLet],
  ["shift", judgeShift],
  ["set", judgeSet],
  // Without a command, `exec` only redirects, which is judged separately.
  ["exec", ({ words }) => (words.length === 1 ? [] : undefined)],
  ...DECLARES.map((name): [string, JudgeBuiltin] => [name, judgeDeclaration]),
]);

function judgePushd({ operands, frame, site, call }: Invocation): Effect[] {
  if (operands.length === 1 && !/^[-+]/.test(operands[0]?.mask ?? "")) return changeDirectory(operands, frame, site);
  loseDirectory(frame);
  return [unclearValue("Changes to another directory of the list", call.span)];
}

function judgePopd({ words, frame, call }: Invocation): Effect[] {
  loseDirectory(frame);
  return words.length === 1 ? [] : [unclearValue("Changes the list of directories", call.span)];
}

/** Judges `read` and `mapfile`, which set variables to their input: the values aren't known. */
function judgeReading(invocation: Invocation, options: { flags: string; valued: string }): Effect[] {
  const { words, operands, call } = invocation;
  const split = splitOptions(operands, options);
  const numbers = /^[nNtuOs]$/;
  const odd = split?.values.some(
    ({ option, word }) =>
      word.shape === "other" || !word.single || (numbers.test(option) && !/^\d+(\.\d+)?$/.test(word.literal ?? "")),
  );
  const arrays = split?.values.filter(({ option }) => option === "a").map(({ word }) => word) ?? [];
  const effects = setNames(invocation, [...arrays, ...(split?.operands ?? operands)]);
  if (words.some((word) => /^-[a-zA-Z]*C/.test(word.mask))) effects.push(callsBack(call.span));
  return split === undefined || odd
    ? [...effects, unclearValue(`Uses options of ${words[0]?.literal} that aren't in the catalogue`, call.span)]
    : effects;
}

/** Returns the effect of `mapfile -C text`, which runs the text with unknown lines. */
function callsBack(span: Span): Effect {
  const sentence = "Matches dangerous pattern: runs a command for the lines that it reads";
  const about = { kind: "obfuscation", risk: "dangerous", layer: "dangerous-pattern" } as const;
  return makeEffect(span, { ...about, ruleId: "shell.callback", sentence });
}

/**
 * Sets variables by name. Names must be plain: bash evaluates a subscript, and the scan of loops finds only plain
 * names.
 */
function setNames({ draft, frame, call }: Invocation, words: readonly Word[]): Effect[] {
  const line = (call.stdin ?? "").split("\n", 1)[0] ?? "";
  const value = line === "" || line.length > MAX_VALUE_LENGTH ? UNKNOWN : { ...UNKNOWN, guesses: [line] };
  return words.flatMap((word) => {
    const name = word.literal;
    if (name === null || name !== word.text || !/^[A-Za-z_]\w*$/.test(name))
      return [unclearValue(`Sets ${word.text}, which isn't a plain name`, call.span)];
    return setVariable(draft, frame, { name, value, span: call.span });
  });
}

function judgeGetopts(invocation: Invocation): Effect[] {
  const [options, name] = invocation.operands;
  if (options?.literal === null || options === undefined || name === undefined)
    return [unclearValue("Reads options that aren't literal", invocation.call.span)];
  return setNames(invocation, [name]);
}

/** Judges `printf -v name`, which sets a variable; other forms are judged like the program. */
function judgePrintf(invocation: Invocation): Effect[] | undefined {
  const [, option, name, format, ...rest] = invocation.words;
  if (!option?.mask.startsWith("-v")) return undefined;
  const { call } = invocation;
  const plain = option.literal === "-v" && name !== undefined && format?.literal !== null && format !== undefined;
  // `%n` and a leading `-` are judged by the catalogue.
  const harmless = plain && !/^-|%[^%a-zA-Z]*[hlLjztq]*n/.test(format.literal.replaceAll("%%", ""));
  const effects = name === undefined ? [] : setNames(invocation, [name]);
  const open = rest.some((word) => word.shape === "other");
  return harmless && !open
    ? effects
    : [...effects, unclearValue("Uses printf -v with words that aren't literal", call.span)];
}

function judgeUnset(invocation: Invocation): Effect[] {
  const { operands, frame, call } = invocation;
  const split = splitOptions(operands, { flags: "vf", valued: "" });
  if (split === undefined) return [unclearValue("Unsets something that isn't a plain name", call.span)];
  if (split.options.includes("f")) {
    for (const { literal } of split.operands) if (literal !== null) undefine(frame.shell, literal);
    return split.operands.every((word) => word.literal === word.text)
      ? []
      : [unclearValue("Unsets a function", call.span)];
  }
  // Without -v the name may be a function's.
  const functions = split.operands.filter(({ literal }) => literal !== null && frame.shell.functions.has(literal));
  const effects = setNames(invocation, split.operands);
  return functions.length === 0 ? effects : [...effects, unclearValue("Unsets a function", call.span)];
}

function judgeLet({ operands, draft, frame, call }: Invocation): Effect[] {
  return operands.flatMap((word) => {
    if (word.literal === null || word.indirect) return [unclearValue(`Evaluates ${word.text}`, call.span)];
    return judgeArithmetic(draft, frame, { text: word.literal, span: call.span });
  });
}

function judgeShift({ operands, frame, call }: Invocation): Effect[] {
  const { shell } = frame;
  const [by, further] = operands;
  const count = by === undefined ? 1 : Number(/^\d{1,4}$/.exec(by.literal ?? "")?.[0] ?? Number.NaN);
  const { words: held, open } = shell.positional ?? { words: [], open: true };
  // Shifting past the end does nothing.
  const known = count <= held.length;
  shell.positional = known ? { words: held.slice(count), open } : undefined;
  return Number.isNaN(count) || further ? [unclearValue("Shifts by something that isn't literal", call.span)] : [];
}

/** Judges `set`: harmless options, and the words that become `$1` and so on. */
function judgeSet(invocation: Invocation): Effect[] {
  const { words, frame, call } = invocation;
  const { shell } = frame;
  const effects: Effect[] = [];
  if (words.length === 1) return [showsVariables("Shows the variables with set", call.span)];
  for (let next = 1; next < words.length; next += 1) {
    const text = words[next]?.literal ?? null;
    if (text === null || text === "-") return [...effects, ...refuseSet(invocation)];
    if (text === "--" || !/^[-+]/.test(text)) {
      shell.positional = positionalOf(words.slice(text === "--" ? next + 1 : next));
      return effects;
    }
    const named = /^[-+][a-zA-Z]*o$/.test(text);
    const letters = [...text.slice(1)].filter((letter) => letter !== "o");
    const name = named ? words[++next]?.literal : undefined;
    const known =
      letters.every((letter) => HARMLESS_SHELL_OPTIONS.letters.includes(letter)) &&
      (!named || HARMLESS_SHELL_OPTIONS.names.includes(name ?? ""));
    if (!known) return [...effects, ...refuseSet(invocation)];
    // The trace's prefix is PS4, which may run commands in an environment that isn't ours.
    if (letters.includes("x") || name === "xtrace")
      effects.push(showsVariables("Shows each command that is run", call.span));
  }
  return effects;
}

function refuseSet(invocation: Invocation): readonly Effect[] {
  invocation.frame.shell.positional = undefined;
  return judgeRewrite("set", invocation).effects;
}

function showsVariables(sentence: string, span: Effect["span"]): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return makeEffect(span, { ...about, ruleId: "env.show", sentence });
}

/** Excludes DEBUG, RETURN and ERR, which run around any command. */
const SIGNALS = /^(EXIT|0|(SIG)?(INT|TERM|HUP|QUIT|USR1|USR2|PIPE))$/;

/**
 * Judges `trap text SIGNAL`. The text runs when the shell exits or gets the signal, with unknown variables, so it is
 * judged in an unknown state. Returns undefined for any other form.
 */
function judgeTrap({ draft, words, frame, call }: Invocation): Judged | undefined {
  const [, text, ...signals] = words;
  const plain = words[0]?.text === "trap" && signals.length > 0 && !frame.shell.foreign;
  if (!plain || !signals.every((word) => SIGNALS.test(word.literal ?? ""))) return undefined;
  if (text?.literal === "-") return { effects: [] };
  // An empty text ignores the signal, and then only SIGKILL stops the command.
  if (text?.literal == null || /^[-\s]|^$/.test(text.literal) || frame.shell.functions.size > 0) return undefined;
  draft.traps = true;
  const directory = { path: frame.directory.path, certain: false };
  return { effects: [], scripts: [{ text: text.literal, span: call.span, child: { foreign: false } }], directory };
}
