import { isInsideAny, type NamedScript, normalize, type Word } from "../model/index.ts";
import type { PathSite } from "./path-effect.ts";

const TESTS: readonly string[] = ["test", "t", "tst"];
const STANDARD: readonly string[] = ["start", "stop", "restart"];
/** Scripts that run without the word `run`. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  npm: STANDARD,
  pnpm: [...STANDARD, "build", "lint", "dev"],
  yarn: [...STANDARD, "build", "lint", "dev"],
};
/** Options allowed before `--`; others choose another project, another shell, or code to load first. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:-s|--silent|--if-present)$/,
  pnpm: /^(?:-s|-r|--silent|--recursive|--if-present)$/,
  yarn: /^(?:-s|--silent)$/,
  bun: /^--silent$/,
};
/** Commands allowed before it: they neither set variables nor write settings that the program reads. */
const BEFORE =
  /^\s*(?:(?:cd[ \t]+[\w./-]+|(?:npm|pnpm|yarn|bun)[ \t]+(?:ci|install|test|run[ \t]+[\w:.-]+))[ \t]*(?:&&|;|\n)\s*)*$/;
/** A plain name, which can't imitate a sentence. */
const NAME = /^[\w:.@/-]{1,64}$/;

/** Returns the name of the package.json script that the command runs, if it is certain. `words` follow the program. */
export function nameScript(program: string, words: readonly Word[], site: PathSite): string | undefined {
  if (!isHere(site)) return undefined;
  const operands = operandsOf(words, HARMLESS[program]);
  const [verb, script] = operands ?? [];
  if (verb === undefined) return undefined;
  if (verb !== "run" && verb !== "run-script") {
    if (PLAIN[program]?.includes(verb)) return verb;
    return program in PLAIN && TESTS.includes(verb) ? "test" : undefined;
  }
  if (script === undefined || !NAME.test(script)) return undefined;
  // Bun runs files with the same word.
  return program === "bun" && /[./]/.test(script) ? undefined : script;
}

/** Runs the script in every project below, each with its own text. */
const EVERYWHERE = /^(?:-r|--recursive)$/;

/**
 * Returns the file that defines the script, if it is certain. Directories above aren't searched, because package
 * managers differ in that.
 */
export function locateScript(name: string, words: readonly Word[], { directory }: PathSite): NamedScript | undefined {
  if (words.some(({ literal }) => literal !== null && EVERYWHERE.test(literal))) return undefined;
  return { name, file: normalize(`${directory.path}/package.json`) };
}

/** Reports whether it runs in the project, without anything around it that could change the program. */
function isHere({ before, machine, directory }: PathSite): boolean {
  const isPlain = before !== undefined && BEFORE.test(before) && Object.keys(machine.env).length === 0;
  return isPlain && directory.certain && isInsideAny(directory.path, machine.roots);
}

/** Returns the operands up to `--`; undefined if a word isn't known or an option may matter. */
function operandsOf(words: readonly Word[], harmless: RegExp | undefined): readonly string[] | undefined {
  const operands: string[] = [];
  for (const { literal } of words) {
    if (literal === "--") break;
    if (literal === null) return undefined;
    if (!literal.startsWith("-")) operands.push(literal);
    else if (!harmless?.test(literal)) return undefined;
  }
  return operands;
}
