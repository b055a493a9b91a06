import { markOpaque } from "./draft.ts";
import type { Judged, Setting } from "./judge-program.ts";
import { makeEffect } from "./make-effect.ts";
import { TAKES_SCRIPT } from "./tables/programs.ts";

/** After these bash may read or find anything differently; what they run is still shown to deny entries. */
export function judgeRewrite(name: string, { draft, words, call }: Setting): Judged {
  const { span } = call;
  const evaluates = name === "eval" || call.fedByDownload;
  markOpaque(draft, span, `Uses ${name}, after which the command can't be read with certainty`);
  const sentence = evaluates
    ? `Matches dangerous pattern: ${name} runs text as a command`
    : `Changes the shell with ${name}`;
  const risk = evaluates ? "dangerous" : "needs-review";
  const ruleId = "shell.rewrites";
  const effects = [makeEffect(span, { kind: "obfuscation", risk, ruleId, sentence })];
  if (!TAKES_SCRIPT.includes(name)) return { effects };
  const operands = words.slice(1).filter((word) => !/^-/.test(word.mask));
  const texts = name === "trap" ? operands.slice(0, 1) : operands;
  if (texts.some((word) => word.literal === null)) return { effects };
  return { effects, script: texts.map((word) => word.literal).join(" "), scriptSpan: span };
}

/** `env -S` splits one word into a command by rules of its own: shown to deny entries, never trusted. */
export function judgeSplitString({ draft, words, call }: Setting): Judged {
  markOpaque(draft, call.span, "Uses env -S, which takes a command apart by rules of its own");
  const text = words.find((word) => word.literal !== null && /\s/.test(word.literal))?.literal;
  if (text === undefined || text === null) return { effects: [] };
  return { effects: [], script: text.replace(/^(-S|--split-string=)/, ""), scriptSpan: call.span };
}
