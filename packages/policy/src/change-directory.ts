import type { Frame } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { judgeRead } from "./judge-path.ts";
import { makeEffect } from "./make-effect.ts";
import type { PathSite } from "./path-effect.ts";
import { literalWord, type WordReading } from "./read-word.ts";
import { resolveGuess, resolvePath } from "./resolve-path.ts";

/**
 * `cd`: later relative paths mean something else. Only a literal directory in the workspace that is no link keeps them
 * certain; whether the `cd` succeeded is the walker's to say.
 */
export function changeDirectory(words: readonly WordReading[], frame: Frame, site: PathSite): Effect[] {
  const { directory } = frame;
  const operands = words.filter((word) => !/^-[LPe@]+$/.test(word.literal ?? "") && word.literal !== "--");
  const target = operands[0] ?? { ...literalWord("~", site.span), tilde: true };
  const resolved = resolvePath(target, directory, site.context);
  const effects = judgeRead(target, { namesOnly: true, recursive: false }, site);
  directory.path = resolveGuess(target, directory, site.context);
  const plain = target.literal !== null && target.literal !== "-" && target.literal !== "" && operands.length < 2;
  directory.certain =
    plain && resolved.certain && resolved.real === resolved.lexical && effects.every((one) => one.risk === "safe");
  if (!plain) effects.push(unclear("Changes to a directory that is only known when it runs", site));
  if (frame.inLoop) effects.push(unclear("Changes the directory inside a loop", site));
  return effects;
}

function unclear(sentence: string, { span, layer }: PathSite): Effect {
  return makeEffect(span, { kind: "reads", layer, ruleId: "cd.unclear", sentence });
}
