import type { ClassifyContext } from "./classification.ts";
import { basename } from "./resolve-path.ts";
import { BUILTINS } from "./tables/programs.ts";

export interface Identified {
  /** What the tables know it by. */
  readonly name: string;
  /** Absolute path on the trusted PATH, or the builtin's name. */
  readonly program?: string;
  readonly builtin: boolean;
}

/** Which program a literal command word runs. A word with a slash counts only when it is the trusted program itself. */
export function identifyProgram(
  word: string,
  context: ClassifyContext,
  { builtins }: { builtins: boolean },
): Identified {
  if (!word.includes("/")) {
    if (builtins && BUILTINS.includes(word)) return { name: word, program: word, builtin: true };
    const program = word === "" ? undefined : context.resolveProgram(word);
    return { name: word, builtin: false, ...(program === undefined ? {} : { program }) };
  }
  const name = basename(word);
  const program = name === "" ? undefined : context.resolveProgram(name);
  const trusted =
    program !== undefined && (program === word || (word.startsWith("/") && context.realpath(word) === program));
  return { name, builtin: false, ...(trusted ? { program } : {}) };
}
