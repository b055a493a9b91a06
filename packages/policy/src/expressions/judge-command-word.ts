import { isDecoder } from "../data-flow/index.ts";
import { type Effect, makeEffect, type WordReading } from "../model/index.ts";
import type { Call } from "../shell/index.ts";

/** A command word that isn't literal: nobody can say what runs. It is worse when the rest looks like a deletion. */
export function judgeOpenCommandWord(words: readonly WordReading[], { span, fedByDownload, fedBy }: Call): Effect[] {
  const head = words[0] as WordReading;
  const deletes =
    words.some((word) => /^-[a-zA-Z]*([rR][a-zA-Z]*f|f[a-zA-Z]*[rR])/.test(word.literal ?? "")) ||
    /\brm\b/.test(head.text);
  const decodes = head.shape === "substitution" && fedBy.some(isDecoder);
  const hides = deletes || decodes || fedByDownload || head.shape === "glob";
  const sentence = hides
    ? `Hides which program runs behind ${head.text}`
    : `Runs ${head.text}, a program whose name is only known when it runs`;
  const risk = hides ? "dangerous" : "needs-review";
  return [makeEffect(span, { kind: "obfuscation", risk, ruleId: "command.not-literal", sentence })];
}
