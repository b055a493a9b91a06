import { findSedProblem } from "./languages/sed.ts";
import type { DangerPattern } from "./tables/danger.ts";

/** The words of one command after its name, unknown stretches as `WILD`, and the text that it reads. */
export interface DangerInput {
  readonly words: readonly string[];
  readonly stdin?: string;
}

/** Where a pattern looks for pieces of text. */
export function findTexts(kind: DangerPattern["text"], input: DangerInput): readonly string[] {
  switch (kind) {
    case undefined:
      return input.words;
    case "code":
      return findCode(input);
    case "statements":
      return findCode(input).flatMap((text) => text.split(";").map((one) => one.trim()));
    case "awk":
      return findCode(input).map(stripAwk);
    case "sed":
      return [findSedProblem(findSedScript(input.words)) ?? ""];
  }
}

/** Plain names (`src/unlink.ts`) aren't program text. */
function findCode({ words, stdin }: DangerInput): readonly string[] {
  const code = words.filter((word) => /[\s(;`'"<{$\\]/.test(word) || /^\.\w/.test(word));
  return stdin === undefined ? code : [...code, stdin];
}

function findSedScript(words: readonly string[]): string {
  const scripts: string[] = [];
  let operand: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const given = /^(?:-[nErsuz]*e|--e[a-z]*=)/.exec(word)?.[0];
    if (given !== undefined && given.length < word.length) scripts.push(word.slice(given.length));
    else if (given !== undefined || /^--e[a-z]*$/.test(word)) scripts.push(words[++index] ?? "");
    else if (!word.startsWith("-")) operand ??= word;
  }
  return scripts.length > 0 ? scripts.join("\n") : (operand ?? "");
}

/** An awk program without what is in its strings, expressions and comments. Good enough to find harm, never to prove safety. */
function stripAwk(text: string): string {
  let kept = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    const regex = character === "/" && /(^|[~(,!&|{};\n])\s*$/.test(kept.slice(-8));
    if (character === "#") at = endOf(text, at, "\n");
    else if (character === '"' || regex) at = endOf(text, at, character);
    else kept += character;
  }
  return kept;
}

function endOf(text: string, start: number, mark: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== mark) at += text[at] === "\\" ? 2 : 1;
  return at;
}
