import { INTERPRETERS, SWEEPERS } from "../catalog/index.ts";
import { isDecoder } from "../data-flow/index.ts";
import { basename, type Effect, makeEffect } from "../model/index.ts";
import { mixesAlphabets } from "../parse/index.ts";
import type { Identified } from "../programs/index.ts";
import { type Call, type Frame, senderAt } from "../shell/index.ts";
import type { Invocation } from "./invocation.ts";

/** Returns an effect if the command word mixes alphabets. `lookalikes` judges the program that it imitates. */
export function judgeMixedName({ name }: Identified, { span }: Call): Effect[] {
  if (!mixesAlphabets(name)) return [];
  const sentence = `The name ${name} mixes letters of two alphabets`;
  return [makeEffect(span, { kind: "obfuscation", ruleId: "command.confusable", sentence })];
}

/**
 * Returns an effect for a function that calls itself in a pipeline or in the background and fills the machine with
 * processes.
 */
export function judgeForkBomb({ name }: Identified, frame: Frame, { span }: Call): Effect[] {
  if (!frame.forks || !frame.functions.includes(name)) return [];
  const sentence = "Matches dangerous pattern: fork bomb";
  const about = { kind: "process-control", ruleId: "fork-bomb", sentence, floor: true } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Returns an effect for deleting files that only a search or list names: nobody has seen which. */
export function judgeSweep({ name }: Identified, { sweeps }: Frame, { operands, call }: Invocation): Effect[] {
  if (!SWEEPERS.includes(name)) return [];
  const open = operands.some((word) => word.shape === "substitution" || (sweeps && word.literal === null));
  if (!open) return [];
  const sentence = `Matches dangerous pattern: ${name} deletes whatever is found`;
  const about = { kind: "deletes", ruleId: "deletes.found", sentence, own: true } as const;
  return [makeEffect(call.span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Programs that build text from text and so can hide a command. */
const TEXT_MAKERS = ["echo", "printf", "base64", "base32", "xxd", "rev", "tr"];

/** Returns an effect for shell text that such programs build: `bash -c "$(printf …)"`, `source <(echo …)`. */
export function judgeMadeUpCode(name: string, { fedBy, span }: Call): Effect[] {
  const makers = fedBy.map((part) => basename(part.words[0] ?? ""));
  if (makers.length === 0) return [];
  if (!makers.every((one) => TEXT_MAKERS.includes(one)) && !fedBy.some(isDecoder)) return [];
  const sentence = `Matches dangerous pattern: ${name} runs text that ${makers[0]} puts together`;
  const about = { kind: "obfuscation", risk: "dangerous", layer: "dangerous-pattern" } as const;
  return [makeEffect(span, { ...about, ruleId: "shell.made-up-code", sentence })];
}

/** Returns an effect for an interpreter that runs a download: `bash <(curl …)`. */
export function judgeDownloadedCode(name: string, { draft, call }: Pick<Invocation, "draft" | "call">): Effect[] {
  const { fedByDownload, span } = call;
  if (!fedByDownload || ![...INTERPRETERS, "make", "gmake", "just", "ansible-playbook"].includes(name)) return [];
  const sentence = `Matches dangerous pattern: ${senderAt(draft, span) ?? `runs a download with ${name}`}`;
  const about = { kind: "executes", ruleId: "remote-code", sentence } as const;
  return [makeEffect(span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

/** Returns an effect for a wrapper or shell that isn't on the trusted PATH. */
export function judgeUntrusted({ name, program }: Identified, { span }: Call): Effect[] {
  if (program !== undefined) return [];
  const sentence = `Runs ${name}, which isn't on the trusted PATH`;
  return [makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: "program.untrusted", sentence })];
}
