import { printedText } from "../data-flow/index.ts";
import { MAX_HIDDEN, makeEffect, WILD, type Word } from "../model/index.ts";
import { type Draft, markOpaque, senderAt } from "../shell/index.ts";
import { judgeMadeUpCode } from "./hazards.ts";
import type { Invocation, Judged } from "./invocation.ts";

/** Judges builtins after which bash may parse or find anything differently. Deny entries still see what they run. */
export function judgeRewrite(name: string, { draft, words, operands, call }: Invocation): Judged {
  const { span } = call;
  const downloads = call.fedByDownload;
  if (name === "alias") noteAliases(draft, operands);
  markOpaque(draft, span, `Uses ${name}, after which the command can't be read with certainty`);
  const sentence = downloads
    ? `Matches dangerous pattern: ${senderAt(draft, span) ?? `${name} runs a download as a command`}`
    : name === "eval"
      ? "Runs text as a command with eval"
      : `Changes the shell with ${name}`;
  const risk = downloads || renames(name, words) ? "dangerous" : "needs-review";
  const effects = [makeEffect(span, { kind: "obfuscation", risk, ruleId: "shell.rewrites", sentence })];
  const evaluates = name === "eval" || name === "source" || name === ".";
  const printed = evaluates ? call.fedBy.flatMap((part) => printedText(part) ?? []) : [];
  const fed = name !== "eval" && evaluates && words[1]?.literal === "/dev/stdin" ? [call.stdin ?? ""] : [];
  const scripts = [...findTexts(name, operands), ...printed, ...fed].map((text) => ({ text, span }));
  const carried = name === "eval" ? guessText(operands) : [];
  return { effects: [...effects, ...judgeMadeUpCode(name, call)], scripts, carried };
}

/** Returns the known part of `eval "$x rm -rf y"`, which may do harm alone. */
function guessText(words: readonly Word[]): { readonly text: string; readonly sweeps: boolean }[] {
  if (words.every((word) => word.literal !== null)) return [];
  return [{ text: words.map((word) => word.guess.replaceAll(WILD, "")).join(" "), sweeps: false }];
}

/** Reports whether `hash -p /bin/rm ls` maps one program's name to another. */
function renames(name: string, words: readonly Word[]): boolean {
  return name === "hash" && words.some((word) => /^-[a-z]*p/.test(word.mask));
}

function noteAliases({ aliases }: Draft, words: readonly Word[]): void {
  for (const { literal } of words) {
    const [, name, text] = /^([^=]+)=([\s\S]*)/.exec(literal ?? "") ?? [];
    if (name !== undefined && text !== undefined && aliases.size < MAX_HIDDEN) aliases.set(name, text);
  }
}

/** Returns its literal shell text. */
function findTexts(name: string, words: readonly Word[]): string[] {
  const operands = words.filter((word) => !/^-/.test(word.mask));
  if (name === "alias") return operands.flatMap(({ literal }) => /^[^=]+=([\s\S]*)/.exec(literal ?? "")?.[1] ?? []);
  if (name !== "eval" && name !== "trap") return [];
  const texts = name === "trap" ? operands.slice(0, 1) : operands;
  return texts.some((word) => word.literal === null) ? [] : [texts.map((word) => word.literal).join(" ")];
}

/** Judges `env -S`, which splits a word by its own rules: deny entries see it, but it is never trusted. */
export function judgeSplitString({ draft, words, call }: Invocation): Judged {
  const { span } = call;
  markOpaque(draft, span, "Uses env -S, which takes a command apart by rules of its own");
  const at = words.findIndex((word) => /^(-[0iv]*S|--s)/.test(word.mask));
  const given = words.slice(at).map((word) => word.literal ?? "$UNKNOWN");
  const text = given.join(" ").replace(/^(-[0iv]*S|--s[a-z-]*=?)/, "");
  return { effects: [], scripts: [{ text, span, child: { foreign: true } }] };
}
