import { isInsideAny, type NamedScript, normalize, type Word } from "../model/index.ts";
import type { PathSite } from "./path-effect.ts";

const TESTS: readonly string[] = ["test", "t", "tst"];
const STANDARD: readonly string[] = ["start", "stop", "restart"];
/** Scripts that need no `run` before them. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  npm: STANDARD,
  pnpm: [...STANDARD, "build", "lint", "dev"],
  yarn: [...STANDARD, "build", "lint", "dev"],
};
/** All that may stand before `--`: others take another project, another shell, or code to load first. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:-s|--silent|--if-present)$/,
  pnpm: /^(?:-s|-r|--silent|--recursive|--if-present)$/,
  yarn: /^(?:-s|--silent)$/,
  bun: /^--silent$/,
};
/** What may stand before the command: it neither sets variables nor writes settings that the program reads. */
const BEFORE =
  /^\s*(?:(?:cd[ \t]+[\w./-]+|(?:npm|pnpm|yarn|bun)[ \t]+(?:ci|install|test|run[ \t]+[\w:.-]+))[ \t]*(?:&&|;|\n)\s*)*$/;
/** Nothing that could say more than a name does. */
const NAME = /^[\w:.@/-]{1,64}$/;

/** The script of package.json that it runs, where that is certain; `words` come after the program. */
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
  // Bun runs files by the same word.
  return program === "bun" && /[./]/.test(script) ? undefined : script;
}

/** Runs the script of that name in every project below: each has a text of its own. */
const EVERYWHERE = /^(?:-r|--recursive)$/;

/** Where the text of a script that was named stands, if it stands in one place. A directory above isn't looked in: managers differ on which. */
export function locateScript(name: string, words: readonly Word[], { directory }: PathSite): NamedScript | undefined {
  if (words.some(({ literal }) => literal !== null && EVERYWHERE.test(literal))) return undefined;
  return { name, file: normalize(`${directory.path}/package.json`) };
}

/** In the project, and with nothing around it that could change what the program does. */
function isHere({ before, machine, directory }: PathSite): boolean {
  const isPlain = before !== undefined && BEFORE.test(before) && Object.keys(machine.env).length === 0;
  return isPlain && directory.certain && isInsideAny(directory.path, machine.roots);
}

/** Up to `--`; undefined where one of them isn't known, or is an option that may matter. */
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
