import { isAbsolute, resolve } from "node:path";
import type { Part } from "@countersign/policy";

const INTERPRETERS = new Set([
  "bash",
  "sh",
  "dash",
  "zsh",
  "ksh",
  "python",
  "python3",
  "node",
  "perl",
  "ruby",
  "deno",
  "bun",
  "php",
  "lua",
  "source",
  ".",
]);
const RUNNERS = new Set(["npm", "pnpm", "yarn", "npx"]);
const MAKES = new Set(["make", "gmake"]);
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/**
 * The files that hold the code which a part is about to run: a program given by path, an interpreter's script, the
 * Makefile, the package's scripts. Candidates: the caller binds those that exist. A missed one weakens the binding of
 * an approved run; it never makes anything safe.
 */
export function codeFiles(part: Part, cwd: string): string[] {
  const [command, ...operands] = part.words;
  if (command == null) return [];
  const here = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path));
  const files = command.includes("/") ? [here(command)] : [];
  const name = command.slice(command.lastIndexOf("/") + 1);
  if (INTERPRETERS.has(name)) files.push(...scriptOf(operands).map(here));
  if (MAKES.has(name)) files.push(...[...MAKEFILES, ...optionValues(operands, "-f")].map(here));
  if (RUNNERS.has(name)) files.push(here("package.json"));
  return files;
}

/** Without a table of the interpreter's options, any literal word may be the script; the ones that are files count. */
function scriptOf(operands: readonly (string | null)[]): string[] {
  return operands.filter((word): word is string => word !== null && word !== "" && !word.startsWith("-")).slice(0, 8);
}

function optionValues(operands: readonly (string | null)[], option: string): string[] {
  return operands.flatMap((word, index) => (operands[index - 1] === option && word ? [word] : []));
}
