import { type Effect, WILD, type Word } from "../model/index.ts";
import { append, judgeVariable, knownValue, splitOptions, UNKNOWN, type Value } from "../shell/index.ts";
import { setVariable, unclearValue } from "./assignment.ts";
import type { Invocation } from "./invocation.ts";

/**
 * `declare`, `local`, `readonly`, `export` with plain names. Most attributes change how later assignments are read (an
 * integer is evaluated, a reference sets another variable), so only those that don't are known.
 */
export function judgeDeclaration(setting: Invocation): Effect[] {
  const { words, operands, frame, call } = setting;
  const kind = words[0]?.literal ?? "";
  const flags = kind === "export" || kind === "readonly" ? "" : "aAgrx";
  const split = splitOptions(operands, { flags, valued: "" });
  const unclear = (sentence: string) => unclearValue(sentence, call.span);
  const effects: Effect[] = [];
  const inFunction = frame.functions.length > 0;
  if (split === undefined) effects.push(unclear(`Uses options of ${kind} that aren't in the tables`));
  // Outside of a function it fails, and the variable stays what it was.
  if (kind === "local" && !inFunction) effects.push(unclear("Uses local outside of a function"));
  if (split?.operands.length === 0) effects.push(showsVariables(kind, setting));
  const given = split?.operands ?? operands.filter((word) => !word.mask.startsWith("-"));
  const exports = kind === "export" || split?.options.includes("x") === true;
  const fixes = kind === "readonly" || split?.options.includes("r") === true;
  for (const word of given) effects.push(...declare(setting, word, { exports, fixes, inFunction }));
  return effects;
}

interface Attributes {
  readonly exports: boolean;
  readonly fixes: boolean;
  readonly inFunction: boolean;
}

function declare(setting: Invocation, word: Word, { exports, fixes, inFunction }: Attributes): Effect[] {
  const { draft, frame, call } = setting;
  const { shell } = frame;
  const { span } = call;
  const [whole, name, sign] = /^([A-Za-z_]\w*)(\+?=)?/.exec(word.mask) ?? [];
  const plain = whole !== undefined && word.text.startsWith(whole) && (sign !== undefined || word.mask === whole);
  if (name === undefined || !plain || word.indirect || word.shape === "other")
    return [unclearValue(`Declares ${word.text}, which isn't a plain name`, span)];
  const before = shell.variables.get(name);
  const keeps = sign === undefined && !(inFunction && !exports && !fixes);
  const value = sign === undefined ? (keeps ? (before ?? UNKNOWN) : UNKNOWN) : given(word, whole);
  const effects = exports
    ? judgeVariable(name, value.known ?? value.mask ?? null, span)
    : keeps
      ? []
      : setVariable(draft, frame, { name, value: sign === "+=" ? append(before, value) : value, span });
  if (exports && !keeps) setVariable(draft, frame, { name, value, span });
  const now = shell.variables.get(name) ?? UNKNOWN;
  const flags = { ...(exports ? { exported: true as const } : {}), ...(fixes ? { fixed: true as const } : {}) };
  if (exports || fixes) shell.variables = new Map(shell.variables).set(name, { ...now, ...flags });
  return effects;
}

/** What stands behind the `=`. */
function given(word: Word, head: string): Value {
  if (word.literal !== null) return knownValue(word.literal.slice(head.length));
  const guess = word.guess.slice(head.length);
  const mask = word.mask.slice(head.length);
  return { number: word.number, guesses: guess.includes(WILD) ? [] : [guess], mask };
}

function showsVariables(kind: string, { call }: Invocation): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return { ...about, span: call.span, ruleId: "env.show", sentence: `Shows the variables with ${kind}` };
}
