import type { Call, Frame } from "./draft.ts";
import type { Effect } from "./effect.ts";
import type { Identified } from "./identify-program.ts";
import type { Setting } from "./judge-program.ts";
import { makeEffect } from "./make-effect.ts";
import { mixesAlphabets } from "./scan-characters.ts";
import { INTERPRETERS, SWEEPERS } from "./tables/programs.ts";

/** Confusable letters in the command word. */
export function judgeMixedName({ name }: Identified, { span }: Call): Effect[] {
  if (!mixesAlphabets(name)) return [];
  const sentence = `The name ${name} mixes letters of two alphabets`;
  return [makeEffect(span, { kind: "obfuscation", risk: "dangerous", ruleId: "command.confusable", sentence })];
}

/** A function that calls itself in a pipeline or in the background fills the machine with processes. */
export function judgeForkBomb({ name }: Identified, frame: Frame, { span }: Call): Effect[] {
  if (!frame.forks || !frame.functions.includes(name)) return [];
  const sentence = "Matches dangerous pattern: fork bomb";
  const about = { kind: "process-control", ruleId: "fork-bomb", sentence, floor: true } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Deletes what only a search or a list names: nobody has seen which files those are. */
export function judgeSweep({ name }: Identified, { sweeps }: Frame, { words, call }: Setting): Effect[] {
  if (!SWEEPERS.includes(name)) return [];
  const open = words.slice(1).some((word) => word.shape === "substitution" || (sweeps && word.literal === null));
  if (!open) return [];
  const sentence = `Matches dangerous pattern: ${name} deletes whatever is found`;
  const about = { kind: "deletes", ruleId: "deletes.found", sentence, own: true } as const;
  return [makeEffect(call.span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** An interpreter whose words hold a substitution that downloads: `bash <(curl …)`. */
export function judgeDownloadedCode(name: string, { fedByDownload, span }: Call): Effect[] {
  if (!fedByDownload || ![...INTERPRETERS, "make", "gmake", "just", "ansible-playbook"].includes(name)) return [];
  const sentence = `Matches dangerous pattern: runs a download with ${name}`;
  const about = { kind: "executes", ruleId: "remote-code", sentence } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Wrappers and shells must be the real ones too. */
export function judgeUntrusted({ name, program }: Identified, { span }: Call): Effect[] {
  if (program !== undefined) return [];
  const sentence = `Runs ${name}, which isn't on the trusted PATH`;
  return [makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: "program.untrusted", sentence })];
}
