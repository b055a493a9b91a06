import { isAbsolute, resolve } from "node:path";
import type { FileHashes } from "@countersign/core/host";
import type { Part } from "@countersign/policy";

/** By path: the SHA-256 of each file whose code may run, or null where one was looked for and isn't there. */
export type CodeHashes = ReadonlyMap<string, string | null>;

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

/** Looks at the files whose code these parts are about to run. Of alternatives, only as far as the one that runs. */
export async function gatherCode(parts: readonly Part[], cwd: string, hashes: FileHashes): Promise<CodeHashes> {
  const found = new Map<string, string | null>();
  const look = async (file: string) => {
    const hash = found.get(file) ?? (await hashes.hash(file)) ?? null;
    found.set(file, hash);
    return hash;
  };
  for (const part of parts) {
    if (part.toolCall || part.elsewhere) continue;
    for (const files of part.code ?? []) {
      for (const file of files) if ((await look(file)) !== null) break;
    }
    for (const file of guessCode(part, cwd)) await look(file);
  }
  return found;
}

/**
 * Further files that may be run: any literal word of an interpreter, and what a runner finds where the policy can't tell.
 * A missed one weakens the binding of an approved run; it never makes anything safe.
 */
function guessCode(part: Part, cwd: string): string[] {
  const [command, ...operands] = part.words;
  if (command == null) return [];
  const from = part.directory ?? cwd;
  const here = (path: string) => (isAbsolute(path) ? path : resolve(from, path));
  const name = command.slice(command.lastIndexOf("/") + 1);
  const files = INTERPRETERS.has(name) ? scriptOf(operands).map(here) : [];
  if (part.code !== undefined) return files;
  if (command.includes("/")) files.push(here(command));
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
