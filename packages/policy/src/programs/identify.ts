import { BUILTINS } from "../catalog/index.ts";
import { basename, type Machine } from "../model/index.ts";

export interface Identified {
  /** Its name in the catalogue. */
  readonly name: string;
  /** Absolute path on the trusted PATH, or the builtin's name. */
  readonly program: string | undefined;
  readonly builtin: boolean;
}

const builtinNames = new Set(BUILTINS);

/**
 * Returns the program that a literal command word runs. A word with a slash counts only if it is the trusted program
 * itself.
 */
export function identifyProgram(word: string, machine: Machine, { builtins }: { builtins: boolean }): Identified {
  if (!word.includes("/")) {
    if (builtins && builtinNames.has(word)) return { name: word, program: word, builtin: true };
    return { name: word, program: word === "" ? undefined : machine.resolveProgram(word), builtin: false };
  }
  const name = basename(word);
  const program = name === "" ? undefined : machine.resolveProgram(name);
  const trusted =
    program !== undefined && (program === word || (word.startsWith("/") && machine.realpath(word) === program));
  return { name, program: trusted ? program : undefined, builtin: false };
}
