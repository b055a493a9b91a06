import { HARMLESS_SHELL_OPTIONS } from "../catalog/index.ts";
import { type Effect, makeEffect } from "../model/index.ts";
import { positionalOf } from "../shell/index.ts";
import type { Setting } from "./judge-program.ts";
import { judgeRewrite } from "./judge-rewrite.ts";

/** `set`: options that only make bash stop earlier or tell more, and the words that `$1` and further stand for. */
export function judgeSet(setting: Setting): Effect[] {
  const { words, frame, call } = setting;
  const { shell } = frame;
  const effects: Effect[] = [];
  if (words.length === 1) return [shows("Shows the variables with set", call.span)];
  for (let next = 1; next < words.length; next += 1) {
    const text = words[next]?.literal ?? null;
    if (text === null || text === "-") return [...effects, ...refuse(setting)];
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
    if (!known) return [...effects, ...refuse(setting)];
    // What it shows goes by PS4, which may run commands where the environment isn't ours.
    if (letters.includes("x") || name === "xtrace") effects.push(shows("Shows each command that is run", call.span));
  }
  return effects;
}

function refuse(setting: Setting): readonly Effect[] {
  setting.frame.shell.positional = undefined;
  return judgeRewrite("set", setting).effects;
}

function shows(sentence: string, span: Effect["span"]): Effect {
  const about = { kind: "reads", risk: "safe", layer: "safe-binary", own: true, reliesOnJail: true } as const;
  return makeEffect(span, { ...about, ruleId: "env.show", sentence });
}
