import type { Call, Frame } from "./draft.ts";
import type { Effect } from "./effect.ts";
import type { Identified } from "./identify-program.ts";
import { mixesAlphabets } from "./scan-characters.ts";
import { INTERPRETERS } from "./tables/programs.ts";

/** Confusable letters in the command word. */
export function judgeMixedName({ name }: Identified, { span }: Call): Effect[] {
  if (!mixesAlphabets(name)) return [];
  const sentence = `The name ${name} mixes letters of two alphabets`;
  const ruleId = "command.confusable";
  return [{ kind: "obfuscation", risk: "dangerous", span, layer: "shell-syntax", ruleId, sentence, own: false }];
}

/** A function that calls itself in a pipeline or in the background fills the machine with processes. */
export function judgeForkBomb({ name }: Identified, frame: Frame, { span }: Call): Effect[] {
  if (!frame.forks || !frame.functions.includes(name)) return [];
  const sentence = "Matches dangerous pattern: fork bomb";
  const ruleId = "fork-bomb";
  return [
    {
      kind: "process-control",
      risk: "dangerous",
      span,
      layer: "dangerous-pattern",
      ruleId,
      sentence,
      own: false,
      floor: true,
    },
  ];
}

/** An interpreter whose words hold a substitution that downloads: `bash <(curl …)`. */
export function judgeDownloadedCode(name: string, { fedByDownload, span }: Call): Effect[] {
  if (!fedByDownload || !INTERPRETERS.includes(name)) return [];
  const sentence = `Matches dangerous pattern: runs a download with ${name}`;
  const ruleId = "remote-code";
  return [{ kind: "executes", risk: "dangerous", span, layer: "dangerous-pattern", ruleId, sentence, own: false }];
}

/** Wrappers and shells must be the real ones too. */
export function judgeUntrusted({ name, program }: Identified, { span }: Call): Effect[] {
  if (program !== undefined) return [];
  const sentence = `Runs ${name}, which isn't on the trusted PATH`;
  const ruleId = "program.untrusted";
  return [{ kind: "executes", risk: "needs-review", span, layer: "safe-binary", ruleId, sentence, own: false }];
}
