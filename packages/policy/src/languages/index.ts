import type { Language } from "../tables/tool.ts";
import { findAwkProblem } from "./awk.ts";
import { findSedProblem } from "./sed.ts";

const FINDERS: Partial<Readonly<Record<Language, (text: string) => string | undefined>>> = {
  awk: findAwkProblem,
  sed: findSedProblem,
};

/**
 * Why program text isn't harmless, in one sentence; undefined when it surely only turns its input into output. Never
 * throws, and takes time linear in the text.
 */
export function findTextProblem(language: Language, text: string): string | undefined {
  const find = FINDERS[language];
  if (find === undefined) return `Gives a program in ${language}, which isn't read`;
  // U+FFFD stands for bytes that aren't UTF-8: how a tool reads those depends on its locale.
  if (/[\0-\x08\x0b-\x1f\x7f\ufffd]/.test(text))
    return `Gives a program in ${language} with characters that can't be seen`;
  return find(text);
}
