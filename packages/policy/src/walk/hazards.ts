import { INTERPRETERS, SWEEPERS } from "../catalog/index.ts";
import { isDecoder } from "../data-flow/index.ts";
import { basename, type Effect, makeEffect } from "../model/index.ts";
import { mixesAlphabets } from "../parse/index.ts";
import type { Identified } from "../programs/index.ts";
import { type Call, type Frame, senderAt } from "../shell/index.ts";
import type { Invocation } from "./invocation.ts";

/** Confusable letters in the command word. What it pretends to be is judged beside it. */
export function judgeMixedName({ name }: Identified, { span }: Call): Effect[] {
  if (!mixesAlphabets(name)) return [];
  const sentence = `The name ${name} mixes letters of two alphabets`;
  return [makeEffect(span, { kind: "obfuscation", ruleId: "command.confusable", sentence })];
}

/** A function that calls itself in a pipeline or in the background fills the machine with processes. */
export function judgeForkBomb({ name }: Identified, frame: Frame, { span }: Call): Effect[] {
  if (!frame.forks || !frame.functions.includes(name)) return [];
  const sentence = "Matches dangerous pattern: fork bomb";
  const about = { kind: "process-control", ruleId: "fork-bomb", sentence, floor: true } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Deletes what only a search or a list names: nobody has seen which files those are. */
export function judgeSweep({ name }: Identified, { sweeps }: Frame, { operands, call }: Invocation): Effect[] {
  if (!SWEEPERS.includes(name)) return [];
  const open = operands.some((word) => word.shape === "substitution" || (sweeps && word.literal === null));
  if (!open) return [];
  const sentence = `Matches dangerous pattern: ${name} deletes whatever is found`;
  const about = { kind: "deletes", ruleId: "deletes.found", sentence, own: true } as const;
  return [makeEffect(call.span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Tools that make text out of text, so that a command can be spelled without being seen. */
const TEXT_MAKERS = ["echo", "printf", "base64", "base32", "xxd", "rev", "tr"];

/** Shell text that is put together by such tools: `bash -c "$(printf …)"`, `source <(echo …)`. */
export function judgeMadeUpCode(name: string, { fedBy, span }: Call): Effect[] {
  const makers = fedBy.map((part) => basename(part.words[0] ?? ""));
  if (makers.length === 0) return [];
  if (!makers.every((one) => TEXT_MAKERS.includes(one)) && !fedBy.some(isDecoder)) return [];
  const sentence = `Matches dangerous pattern: ${name} runs text that ${makers[0]} puts together`;
  const about = { kind: "obfuscation", risk: "dangerous", layer: "dangerous-pattern" } as const;
  return [makeEffect(span, { ...about, ruleId: "shell.made-up-code", sentence })];
}

/** An interpreter whose words hold a substitution that downloads: `bash <(curl …)`. */
export function judgeDownloadedCode(name: string, { draft, call }: Pick<Invocation, "draft" | "call">): Effect[] {
  const { fedByDownload, span } = call;
  if (!fedByDownload || ![...INTERPRETERS, "make", "gmake", "just", "ansible-playbook"].includes(name)) return [];
  const sentence = `Matches dangerous pattern: ${senderAt(draft, span) ?? `runs a download with ${name}`}`;
  const about = { kind: "executes", ruleId: "remote-code", sentence } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Wrappers and shells must be the real ones too. */
export function judgeUntrusted({ name, program }: Identified, { span }: Call): Effect[] {
  if (program !== undefined) return [];
  const sentence = `Runs ${name}, which isn't on the trusted PATH`;
  return [makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: "program.untrusted", sentence })];
}
