import type { Language } from "../tables/tool.ts";

/** Why program text isn't harmless, in one sentence; undefined when it only turns its input into output. */
export function findTextProblem(language: Language, _text: string): string | undefined {
  return `Gives a program in ${language}, which isn't read`;
}
